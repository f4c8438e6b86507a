// Recursion: the same variables on several levels.
#include "run.h"

CALLED int fact(int n) {
  int below = 1;
  if (n > 1)
    below = fact(n - 1);
  int result = n * below;
  return result;
}

static int odd(unsigned n);
CALLED int even(unsigned n) {
  unsigned less = n - 1;
  return n == 0 ? 1 : odd(less);
}
static int odd(unsigned n) {
  unsigned less = n - 1;
  return n == 0 ? 0 : even(less);
}

int run(int k) {
  int f = fact(3 + k);
  int e = even(2 + k);
  return f + e;
}
