// Enums: with gaps, negative, as flags.
#include "run.h"

enum color { RED, GREEN = 5, BLUE };
enum level { LOW = -10, MID = 0, HIGH = 10 };
enum flags { READ = 1, WRITE = 2, EXEC = 4 };

CALLED enum color next(enum color c) {
  switch (c) {
  case RED:
    return GREEN;
  case GREEN:
    return BLUE;
  default:
    return RED;
  }
}

int run(int k) {
  enum color c = RED;
  enum level l = LOW;
  enum flags f = READ | EXEC;
  int steps = k - 1;
  do {
    c = next(c);
    steps++;
  } while (c != RED);
  l = steps > 2 ? HIGH : MID;
  f |= WRITE;
  return steps + l + f;
}
