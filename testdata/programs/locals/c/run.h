// The entry of each program. k is 1, which no compiler knows; the result depends on all that is
// computed.
int run(int k);

// CALLED functions stay functions at -O2.
#define CALLED __attribute__((noinline)) static
