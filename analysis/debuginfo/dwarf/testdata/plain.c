struct point { int x, y; unsigned a:3, b:5; long long z; struct point *next; char name[8]; };
enum color { RED, GREEN = 5 };
static int total = 3;
int shared[2][3];
__attribute__((noinline)) static int sum(struct point *p) {
  int s = 0;
  for (; p; p = p->next) {
    int t = p->x + p->y;
    s += t;
  }
  total += s;
  return s;
}
static inline int twice(int v) { int w = v * 2; return w + 1; }
int vla(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = twice(i); return a[n-1]; }
__attribute__((export_name("run"))) int run(int argc) {
  static int calls;
  struct point a = {1, 2, 1, 2, 3, 0, "a"}, b = {3, 4, 5, 6, 7, &a, "b"};
  enum color c = GREEN;
  double d = 1.5;
  calls++;
  int s = sum(&b);
  return s + twice(argc) + c + (int)d + shared[1][2] + vla(3);
}
