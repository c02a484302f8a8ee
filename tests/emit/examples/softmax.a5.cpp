// softmax.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_16x1024 = Tile<TileType::Vec, float, 16, 1024, BLayout::RowMajor, 16, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_16x1_dn = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void softmax(__gm__ float *x, __gm__ float *y) {  // 9
  const int64_t block64 = get_block_idx();  // 18
  const int64_t blocks64 = get_block_num();  // 19
  const int64_t block = static_cast<int64_t>(block64);  // 20
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 21
  const int64_t first = block * 16;  // 22
  const int64_t stride = blocks * 16;  // 23
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 25
  for (int64_t at = first; at < 4096; at += stride) {
    GlobalTensor<float, Shape<1, 1, 1, 16, 1024>, Stride<16384, 16384, 16384, 1024, 1>, Layout::ND> in(x + at * 1024);  // 26
    GlobalTensor<float, Shape<1, 1, 1, 16, 1024>, Stride<16384, 16384, 16384, 1024, 1>, Layout::ND> out(y + at * 1024);  // 27
    VecF32_16x1024 t;  // 28
    TASSIGN(t, 65536);
    VecF32_16x1024 scratch;  // 29
    TASSIGN(scratch, 0);
    VecF32_16x1_dn largest;  // 30
    TASSIGN(largest, 131072);
    VecF32_16x1_dn total;  // 31
    TASSIGN(total, 131136);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 33
    TLOAD(t, in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 34
    TROWMAX(largest, t, scratch);
    TROWEXPANDEXPDIF(t, t, largest);  // 35
    TROWSUM(total, t, scratch);  // 36
    TROWEXPANDDIV(t, t, total);  // 37
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 38
    TSTORE(out, t);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  }
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 39
}
