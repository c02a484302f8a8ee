// vector_add.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_1x4096_v1xn = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, -1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void vector_add(__gm__ float *x, __gm__ float *y, __gm__ float *z, int32_t n) {  // 8
  const int64_t n_index = n;
  const int64_t block64 = get_block_idx();  // 16
  const int64_t blocks64 = get_block_num();  // 17
  const int64_t block = static_cast<int64_t>(block64);  // 18
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 19
  const int64_t first = block * 4096;  // 20
  const int64_t stride = blocks * 4096;  // 21
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 23
  for (int64_t at = first; at < n_index; at += stride) {
    const int64_t left = n_index - at;  // 24
    const int64_t count = left < 4096 ? left : 4096;  // 25
    VecF32_1x4096_v1xn a(count);  // 26
    TASSIGN(a, 0);
    VecF32_1x4096_v1xn b(count);  // 27
    TASSIGN(b, 16384);
    GlobalTensor<float, Shape<1, 1, 1, 1, -1>, Stride<-1, -1, -1, -1, 1>, Layout::ND> xw(x + at, Shape<1, 1, 1, 1, -1>(count), Stride<-1, -1, -1, -1, 1>(count, count, count, count));  // 28
    GlobalTensor<float, Shape<1, 1, 1, 1, -1>, Stride<-1, -1, -1, -1, 1>, Layout::ND> yw(y + at, Shape<1, 1, 1, 1, -1>(count), Stride<-1, -1, -1, -1, 1>(count, count, count, count));  // 29
    GlobalTensor<float, Shape<1, 1, 1, 1, -1>, Stride<-1, -1, -1, -1, 1>, Layout::ND> zw(z + at, Shape<1, 1, 1, 1, -1>(count), Stride<-1, -1, -1, -1, 1>(count, count, count, count));  // 30
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 31
    TLOAD(a, xw);
    TLOAD(b, yw);  // 32
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 33
    TADD(a, a, b);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 34
    TSTORE(zw, a);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  }
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 35
}
