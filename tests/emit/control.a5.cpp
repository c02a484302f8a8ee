// control.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

static AICORE int32_t add(int32_t a, int32_t b) {  // 2
  const int32_t sum = static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));  // 3
  return sum;  // 4
}

__global__ AICORE void kernel(__gm__ float *x, int32_t n, int32_t int_, bool flag) {  // 7
  const int64_t n_index = n;
  int64_t sum_0 = 0;  // 13
  int64_t sum_1 = 1;
  for (int64_t i = 0; i < n_index; ++i) {
    const int64_t next = sum_0 + i;  // 14
    sum_0 = sum_1;  // 15
    sum_1 = next;
  }
  int64_t picked;  // 17
  if (flag) {
    picked = sum_0;  // 18
  } else {
    picked = sum_1;  // 20
  }
  int64_t k = picked;  // 22
  int64_t last;
  while (true) {
    const bool more = static_cast<uint64_t>(k) < static_cast<uint64_t>(5000000000LL);  // 23
    last = k;  // 24
    if (!more) break;
    const int64_t twice = last * last;  // 27
    k = twice;  // 28
  }
  switch (last) {  // 30
    default: {
      break;
    }
    case 1: {
      const float v = x[0];  // 32
      x[1] = v;  // 33
      break;
    }
  }
  const int32_t s = add(int_, int_);  // 39
  const int64_t wide_ = static_cast<int64_t>(s);  // 40
  const int32_t bits = __builtin_bit_cast(int32_t, static_cast<float>(0.5f));  // 41
  const int32_t most = static_cast<uint32_t>(s) > static_cast<uint32_t>(bits) ? s : bits;  // 42
  const int32_t quotient = s / most - (s % most != 0 && (s < 0) != (most < 0));  // 43
  int32_t array[4] = {};  // 44
  array[0] = quotient;  // 45
  const int32_t back = array[0];  // 46
  struct { float f0; int32_t f1; } record = {};  // 47
  record.f1 = back;  // 48
  const int32_t field = record.f1;  // 49
}

AICORE void blocks(bool flag, int64_t n) {  // 53
  int64_t m;
  int64_t k;
  if (flag) {  // 54
    m = n;
    goto bb1;
  }
  goto bb2;
  bb1:;
  k = m + 1;  // 57
  goto bb2;  // 58
  bb2:;
  return;  // 60
}
