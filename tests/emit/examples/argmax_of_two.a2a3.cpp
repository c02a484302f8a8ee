// argmax_of_two.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, 64, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, 64, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void argmax_of_two(__gm__ float *x, __gm__ float *y, __gm__ float *best, __gm__ int32_t *from) {  // 5
  GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> xs(x);  // 10
  GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> ys(y);  // 11
  GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> bs(best);  // 12
  GlobalTensor<int32_t, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> fs(from);  // 13
  VecF32_64x64 a;  // 15
  TASSIGN(a, 0);
  TLOAD(a, xs);
  VecF32_64x64 b;  // 16
  TASSIGN(b, 16384);
  TLOAD(b, ys);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  VecI32_64x64 first;  // 17
  TASSIGN(first, 32768);
  TEXPANDS(first, 0);
  VecI32_64x64 second;  // 18
  TASSIGN(second, 49152);
  TEXPANDS(second, 1);
  VecF32_64x64 value;  // 19
  TASSIGN(value, 0);
  VecI32_64x64 index;
  TASSIGN(index, 49152);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  pipe_barrier(PIPE_V);
  TPARTARGMAX(value, a, b, index, first, second);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 20
  TSTORE(bs, value);
  TSTORE(fs, index);  // 21
}
