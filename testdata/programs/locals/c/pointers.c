// Pointers: to pointers, into arrays, to nothing, to strings, in a list.
#include "run.h"

struct node { int value; struct node *next; };

CALLED void swap(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

CALLED int length(const char *s) {
  const char *p = s;
  while (*p)
    p++;
  return (int)(p - s);
}

int run(int k) {
  int x = k, y = 2;
  int *px = &x, **ppx = &px;
  void *none = 0;
  const char *name = "node";
  struct node third = {3, 0};
  struct node second = {2, &third};
  struct node first = {1, &second};
  swap(px, &y);
  **ppx = 7;
  int sum = 0;
  for (struct node *n = &first; n; n = n->next)
    sum += n->value;
  px = &y;
  return sum + length(name) + *px + (none != 0);
}
