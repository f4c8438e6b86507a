/* The stock of a small shop: a linked list of items, sorted by a function that the caller names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FRUIT, TOOL = 5, BOOK };

struct flags {
    unsigned fragile : 1;
    unsigned shelf : 5;
    signed rating : 4;
};

struct item {
    char name[12];
    enum kind kind;
    int count;
    double price;
    struct flags flags;
    struct item *next;
};

union word {
    unsigned number;
    unsigned char bytes[4];
};

typedef int (*compare)(const struct item *, const struct item *);

static int sold;
const char *const currency = "EUR";

static struct item *add(struct item *list, const char *name, enum kind kind, int count, double price) {
    struct item *it = calloc(1, sizeof *it);
    strncpy(it->name, name, sizeof it->name - 1);
    it->kind = kind;
    it->count = count;
    it->price = price;
    it->flags.fragile = kind == FRUIT;
    it->flags.shelf = count % 32;
    it->flags.rating = -3;
    it->next = list;
    return it;
}

static int by_name(const struct item *a, const struct item *b) {
    return strcmp(a->name, b->name);
}

static int by_value(const struct item *a, const struct item *b) {
    double x = a->count * a->price;
    double y = b->count * b->price;
    return (x > y) - (x < y);
}

/* Inserts each item into a sorted list. */
static struct item *sort(struct item *list, compare order) {
    struct item *sorted = NULL;
    while (list) {
        struct item *it = list;
        struct item **at = &sorted;
        list = list->next;
        while (*at && order(*at, it) < 0)
            at = &(*at)->next;
        it->next = *at;
        *at = it;
    }
    return sorted;
}

/* The number of ways to pay an amount with coins. */
static int ways(int amount, const int *coins, int n) {
    if (amount == 0)
        return 1;
    if (amount < 0 || n == 0)
        return 0;
    int with = ways(amount - coins[0], coins, n);
    int without = ways(amount, coins + 1, n - 1);
    return with + without;
}

static void print(const char *title, const struct item *list) {
    printf("%s:", title);
    for (const struct item *it = list; it; it = it->next)
        printf(" %s(%d)", it->name, it->count);
    printf("\n");
}

int main(void) {
    int coins[] = {10, 5, 2, 1};
    struct item *list = NULL;
    list = add(list, "pear", FRUIT, 40, 0.5);
    list = add(list, "hammer", TOOL, 3, 18.25);
    list = add(list, "atlas", BOOK, 1, 42);
    print("as added", list);

    list = sort(list, by_name);
    print("by name", list);
    list = sort(list, by_value);
    print("by value", list);

    for (struct item *it = list; it; it = it->next) {
        int n = it->count / 2;
        it->count -= n;
        sold += n;
    }
    union word w = {.number = 0x74697865};
    int paid = ways(10, coins, 4);
    printf("sold %d, %d ways to pay 10 %s, %02x\n", sold, paid, currency, w.bytes[0]);
    return 0;
}
