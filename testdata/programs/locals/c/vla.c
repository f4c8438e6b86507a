// Arrays whose length is known when the program runs, and a compound literal.
#include "run.h"

CALLED int fill(int n) {
  int squares[n];
  for (int i = 0; i < n; i++)
    squares[i] = i * i;
  int *last = &squares[n - 1];
  return *last;
}

int run(int k) {
  int a = fill(2 + k);
  int b = fill(3 + k);
  int *literal = (int[]){a, b};
  return literal[0] + literal[1];
}
