// Function pointers: in variables, tables and structs, as arguments.
#include "run.h"

typedef int (*op)(int, int);
struct named { const char *name; op apply; };

static int add(int a, int b) {
  int r = a + b;
  return r;
}
static int mul(int a, int b) {
  int r = a * b;
  return r;
}
CALLED int fold(op f, const int *v, int n) {
  int acc = v[0];
  for (int i = 1; i < n; i++)
    acc = f(acc, v[i]);
  return acc;
}

int run(int k) {
  int values[3] = {2, 3, 3 + k};
  struct named ops[2] = {{"add", add}, {"mul", mul}};
  op chosen = 0;
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    chosen = ops[i].apply;
    sum += fold(chosen, values, 3);
  }
  return sum;
}
