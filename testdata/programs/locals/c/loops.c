// Loops: while, do, for, break, continue, goto.
#include "run.h"

int run(int k) {
  int n = 5 + k, steps = 0;
  while (n != 1) {
    if (n % 2)
      n = 3 * n + 1;
    else
      n /= 2;
    if (++steps > 5)
      break;
  }
  int i, found = -1;
  for (i = 0; i < 10; i++) {
    if (i < 3)
      continue;
    if (i * i > 10) {
      found = i;
      goto done;
    }
  }
done:
  do {
    found--;
  } while (found > 2);
  return n + steps + found + i;
}
