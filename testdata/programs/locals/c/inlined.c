// Small functions that the optimizer inlines, one into another.
#include "run.h"

static inline int square(int n) {
  int r = n * n;
  return r;
}
static inline int norm(int x, int y) {
  int xx = square(x);
  int yy = square(y);
  return xx + yy;
}
CALLED int closest(const int *xs, int n) {
  int best = 0, least = 1 << 30;
  for (int i = 0; i < n; i++) {
    int d = norm(xs[i], i);
    if (d < least) {
      least = d;
      best = i;
    }
  }
  return best;
}

int run(int k) {
  static int xs[4] = {9, 2, 3, 1};
  int at = closest(xs, 4);
  xs[at] = 10 * k;
  int again = closest(xs, 4);
  return at * 10 + again;
}
