// Arrays: of numbers, of two dimensions, of structs, of characters.
#include "run.h"

struct pair { short key; int value; };

CALLED int total(const int *values, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += values[i];
  return sum;
}

int run(int k) {
  int numbers[5] = {5, 4, 3, 2, k};
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6 * k}};
  struct pair pairs[2] = {{1, 100}, {2, 200}};
  char text[8] = "hello";
  int n = total(numbers, 3);
  for (int row = 0; row < 2; row++) {
    int max = grid[row][0];
    for (int col = 1; col < 3; col++)
      if (grid[row][col] > max)
        max = grid[row][col];
    n += max;
  }
  pairs[1].value = n;
  text[0] = 'j';
  numbers[4] = pairs[0].key;
  return n + text[0] + numbers[4];
}
