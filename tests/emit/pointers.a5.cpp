// pointers.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_16x16 = Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x32 = Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 8, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void corner(__gm__ float *x, __gm__ float *y, __gm__ float *z) {  // 8
  GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>, Layout::ND> xs(x);  // 11
  GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>, Layout::ND> ys(y);  // 12
  VecF32_16x16 a;  // 13
  TASSIGN(a, 0);
  VecF32_16x16 b;  // 14
  TASSIGN(b, 1024);
  TLOAD(a, xs);  // 15
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
  VecF32_8x32 r;  // 16
  TRESHAPE(r, a);
  __ubuf__ float *p = (__ubuf__ float *)r.data();  // 17
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 18
  TADD(b, a, a);
  set_flag(PIPE_V, PIPE_S, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);  // 19
  const float v = p[1];
  __ubuf__ float *q = (__ubuf__ float *)b.data();  // 20
  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);  // 21
  q[16] = v;
  set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);  // 22
  TSTORE(ys, b);
}

__global__ AICORE void moved(__gm__ float *x, __gm__ float *y) {  // 27
  GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>, Layout::ND> xs(x);  // 32
  GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>, Layout::ND> ys(y);  // 33
  VecF32_16x16 first;  // 34
  TASSIGN(first, 0);
  VecF32_16x16 other;  // 35
  TASSIGN(other, 1024);
  TLOAD(first, xs);  // 36
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 37
  TADD(first, first, first);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
  TASSIGN(other, 0);  // 38
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 39
  TLOAD(other, ys);
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);  // 40
  TSTORE(xs, other);
}
