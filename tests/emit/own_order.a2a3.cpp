// own_order.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_16x64 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void doubled(__gm__ float *x, __gm__ float *y) {  // 9
  VecF32_16x64 a;  // 16
  TASSIGN(a, 0);
  VecF32_16x64 b;  // 17
  TASSIGN(b, 4096);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 18
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 19
  for (int64_t at = 0; at < 64; at += 16) {  // 20
    GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1024, 1024, 1024, 64, 1>, Layout::ND> in(x + at * 64);  // 21
    GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1024, 1024, 1024, 64, 1>, Layout::ND> out(y + at * 64);  // 22
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 23
    TLOAD(a, in);  // 24
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 25
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 26
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 27
    TADD(b, a, a);  // 28
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 29
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 30
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 31
    TSTORE(out, b);  // 32
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 33
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 35
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 36
}

__global__ AICORE void halved(__gm__ float *x, __gm__ float *y) {  // 40
  GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1024, 1024, 1024, 64, 1>, Layout::ND> xs(x);  // 45
  GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1024, 1024, 1024, 64, 1>, Layout::ND> ys(y);  // 46
  VecF32_16x64 a;  // 47
  TASSIGN(a, 8192);
  TLOAD(a, xs);  // 48
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);  // 49
  TMULS(a, a, 0.5f);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);  // 50
  TSTORE(ys, a);
}
