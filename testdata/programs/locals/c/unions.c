// Unions, also without a name, and in a struct that says which member counts.
#include "run.h"

union word { unsigned int all; unsigned char bytes[4]; struct { unsigned short low, high; } halves; };
struct value {
  enum { INT, REAL } kind;
  union { int i; float f; };
};

CALLED int to_int(struct value v) {
  int result = 0;
  switch (v.kind) {
  case INT:
    result = v.i;
    break;
  case REAL:
    result = (int)v.f;
    break;
  }
  return result;
}

int run(int k) {
  union word w = {0x11223344u * k};
  unsigned char first = w.bytes[0];
  w.halves.high = 0xabcd;
  struct value a = {INT, {.i = 41 + k}};
  struct value b = {REAL, {.f = 7.75f}};
  int n = to_int(a);
  n += to_int(b);
  w.all = n;
  return n + first;
}
