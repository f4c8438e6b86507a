// Nested scopes and shadowing.
#include "run.h"

int level = 100;

CALLED int shadow(int level) {
  int sum = level;
  {
    int level = 20;
    sum += level;
    {
      int level = 30, sum = 5;
      sum += level;
    }
    for (int level = 0; level < 2; level++) {
      int inner = level * 10;
      sum += inner;
    }
  }
  if (sum > 10) {
    int only = sum - 10;
    sum += only;
  } else {
    int other = sum;
    sum -= other;
  }
  return sum;
}

int run(int k) {
  int a = shadow(k);
  {
    int a = 7;
    level += a;
  }
  return a + level;
}
