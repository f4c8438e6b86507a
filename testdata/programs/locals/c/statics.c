// Static and global variables.
#include "run.h"

static int hidden = 3;
static const int table[4] = {1, 1, 2, 3};

CALLED int counter(int by) {
  static int count = 10;
  static struct { int calls; char last; } state;
  count += by;
  state.calls++;
  state.last = 'a' + state.calls;
  return count;
}

int run(int k) {
  int first = counter(k);
  int second = counter(hidden);
  hidden += table[3];
  return first + second + hidden;
}
