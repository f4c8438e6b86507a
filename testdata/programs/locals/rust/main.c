// Runs a program natively, for gdb.
#include <stdio.h>
int run(int k);
// What the crates name and the programs never reach.
void rust_eh_personality(void) {}
void rust_oom(void) {}
int main(void) { printf("%d\n", run(1)); }
