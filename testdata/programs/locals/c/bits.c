// Bit-fields: signed and unsigned, across units, beside others.
#include "run.h"

struct packet {
  unsigned version : 3;
  int delta : 5;
  unsigned long long id : 40;
  unsigned flag : 1;
  unsigned char kind;
};

CALLED int decode(struct packet *p) {
  int sum = p->version;
  sum += p->delta;
  if (p->flag)
    sum += p->kind;
  return sum;
}

int run(int k) {
  struct packet p = {4 + k, -7, 0x123456789aull, 1, 200};
  int before = decode(&p);
  p.version = 7;
  p.delta = 15;
  p.flag = 0;
  p.id = 0xffffffffffull;
  int after = decode(&p);
  return before * 100 + after;
}
