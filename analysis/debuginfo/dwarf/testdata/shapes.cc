namespace geo {
enum class Unit : unsigned char { Metre = 1, Foot = 200 };
struct Base { int id; virtual int area() const = 0; };
template <typename T, int N> struct Box : Base {
  T items[N];
  union { int i; float f; };
  static int made;
  Box(int n) : i(n) { id = n; made++; }
  int area() const override { T s{}; for (const T &x : items) s += x; return (int)s + i; }
};
template <typename T, int N> int Box<T, N>::made = 0;
namespace { int hidden = 4; }
struct Opaque;
Opaque *give();
int look(const Opaque *o);
thread_local int perThread = 9;
} // namespace geo
using Small = geo::Box<short, 3>;
struct Pair { int first, second; int sum() const { return first + second; } };
static int apply(int (*f)(int), int x) { return f(x); }
extern "C" __attribute__((export_name("run"))) int run(int n) {
  Small s(n);
  const geo::Unit unit = geo::Unit::Foot;
  int Pair::*member = &Pair::second;
  int (Pair::*method)() const = &Pair::sum;
  Pair p{n, 2 * n};
  int &r = p.first;
  int &&rr = n + 1;
  geo::Base *b = &s;
  auto add = [&](int k) { return k + r; };
  int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
  {
    int inner = add(rr) + matrix[1][2];
    r += inner;
  }
  return b->area() + p.*member + (p.*method)() + apply([](int x) { return x + geo::hidden; }, (int)unit) +
         geo::look(geo::give()) + geo::perThread;
}
