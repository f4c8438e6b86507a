// Runs a program natively, for gdb.
#include <stdio.h>
#include "run.h"
int main(void) { printf("%d\n", run(1)); }
