// booleans.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

__global__ AICORE void booleans(__gm__ int64_t *y, bool a, bool b, int32_t n) {  // 3
  const int64_t n_index = n;
  const bool sum = a != b;  // 13
  const bool max = a && b;  // 14
  const bool min = a || b;  // 15
  const bool less = b < a;  // 16
  const bool less_or_equal = b <= a;  // 17
  const bool greater = b > a;  // 18
  const bool greater_or_equal = b >= a;  // 19
  const bool odd = (n_index & 1) != 0;  // 20
  bool carried;  // 21
  bool carry;
  carried = a != b;
  carry = a && b;
  const int64_t w0 = static_cast<int64_t>(static_cast<bool>(sum));  // 22
  const int64_t w1 = static_cast<int64_t>(static_cast<bool>(max));  // 23
  const int64_t w2 = static_cast<int64_t>(static_cast<bool>(min));  // 24
  const int64_t w3 = static_cast<int64_t>(static_cast<bool>(less));  // 25
  const int64_t w4 = static_cast<int64_t>(static_cast<bool>(less_or_equal));  // 26
  const int64_t w5 = static_cast<int64_t>(static_cast<bool>(greater));  // 27
  const int64_t w6 = static_cast<int64_t>(static_cast<bool>(greater_or_equal));  // 28
  const int64_t w7 = static_cast<int64_t>(static_cast<bool>(odd));  // 29
  const int64_t w8 = static_cast<int64_t>(static_cast<bool>(carry));  // 30
  y[0] = w0;  // 31
  y[1] = w1;  // 32
  y[2] = w2;  // 33
  y[3] = w3;  // 34
  y[4] = w4;  // 35
  y[5] = w5;  // 36
  y[6] = w6;  // 37
  y[7] = w7;  // 38
  y[8] = w8;  // 39
}
