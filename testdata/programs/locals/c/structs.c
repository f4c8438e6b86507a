// Structs: nested, by value, by pointer, with padding, returned.
#include "run.h"

struct point { int x, y; };
struct rect { struct point min, max; char tag; double weight; };

CALLED struct point middle(struct rect r) {
  struct point m;
  m.x = (r.min.x + r.max.x) / 2;
  m.y = (r.min.y + r.max.y) / 2;
  return m;
}

CALLED void grow(struct rect *r, int by) {
  r->min.x -= by;
  r->min.y -= by;
  r->max.x += by;
  r->max.y += by;
  r->weight *= 1.5;
}

int run(int k) {
  struct rect r = {{k, 2}, {11, 22}, 'r', 2.0};
  struct rect copy = r;
  grow(&copy, 3);
  struct point a = middle(r);
  struct point b = middle(copy);
  struct point *which = &a;
  int sum = which->x;
  which = &b;
  sum += which->y;
  copy.tag = 'c';
  return sum + copy.max.x;
}
