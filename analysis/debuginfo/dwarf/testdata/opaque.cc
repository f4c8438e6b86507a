extern "C" void __cxa_pure_virtual() { __builtin_trap(); }
namespace geo {
struct Opaque { int secret; struct Part { char tag; } part; };
static Opaque one{42, {'x'}};
Opaque *give() { return &one; }
int look(const Opaque *o) { return o->secret; }
} // namespace geo
extern "C" void *memset(void *p, int c, unsigned long n) {
  for (char *q = (char *)p; n; n--) *q++ = (char)c;
  return p;
}
extern "C" void *memcpy(void *p, const void *s, unsigned long n) {
  const char *t = (const char *)s;
  for (char *q = (char *)p; n; n--) *q++ = *t++;
  return p;
}
