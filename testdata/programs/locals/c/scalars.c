// Integers of all widths, characters, booleans, floating point.
#include "run.h"

CALLED signed char narrow(signed char c, unsigned char u) {
  signed char sum = c + (signed char)u;
  return sum;
}

int run(int k) {
  signed char sc = -5 * k;
  unsigned char uc = 250;
  char ch = 'A';
  short s = -3000 + k;
  unsigned short us = 65000;
  int i = -70000 * k;
  unsigned int u = 4000000000u + k;
  long long ll = -9000000000000ll - k;
  unsigned long long ull = 18000000000000000000ull;
  _Bool yes = 1, no = 0;
  float f = 1.5f + k;
  double d = -2.25e10;
  ch++;
  s = s * 2;
  f = f / 3;
  d = d * f;
  ll += i;
  yes = !yes;
  sc = narrow(sc, uc);
  ull -= (unsigned long long)u * us;
  return (int)(sc + uc + ch + s + us + i + (int)ll + yes + no + (d < 0) + (f > 0) + (int)ull);
}
