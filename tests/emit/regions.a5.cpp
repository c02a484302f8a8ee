// regions.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

__global__ AICORE void counted(int32_t n, __gm__ int64_t *y) {  // 2
  const int64_t n_index = n;
  int64_t sum;  // 5
  {
    int64_t last;
    int64_t at;
    int64_t so_far;
    int64_t next;
    int64_t more;
    bool goes_on;
    at = 0;  // 6
    so_far = 0;
    goto bb2;
    bb1:;
    sum = last;  // 8
    goto end;
    bb2:;
    next = at + 1;  // 10
    more = so_far + at;  // 11
    goes_on = next < n_index;  // 12
    if (goes_on) {  // 13
      at = next;
      so_far = more;
      goto bb2;
    }
    last = more;
    goto bb1;
    end:;
  }
  const int64_t result = static_cast<int64_t>(sum);  // 15
  y[0] = result;  // 16
}
