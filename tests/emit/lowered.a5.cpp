// lowered.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF16_32x16 = Tile<TileType::Vec, half, 32, 16, BLayout::RowMajor, 32, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF16_16x16 = Tile<TileType::Vec, half, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF16_16x16_nz = Tile<TileType::Vec, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using VecF32_16x16 = Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

AICORE void lowered(__gm__ half *from, __gm__ half *to) {  // 3
  GlobalTensor<half, Shape<1, 1, 2, 16, 16>, Stride<512, 512, 256, 16, 1>, Layout::ND> from_2(from);
  GlobalTensor<half, Shape<1, 1, 2, 16, 16>, Stride<512, 512, 256, 16, 1>, Layout::ND> to_2(to);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 7
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  for (int64_t i = 0; i < 4; ++i) {
    VecF16_32x16 a;  // 8
    TASSIGN(a, 0);
    VecF16_32x16 b;  // 9
    TASSIGN(b, 1024);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 10
    TLOAD(a, from_2);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 11
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    TEXP(b, a);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 12
    TSTORE(to_2, b);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 14
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  VecF16_16x16 c;  // 16
  TASSIGN(c, 2048);
  VecF16_16x16_nz boxed;  // 17
  TASSIGN(boxed, (uint64_t)c.data());
  VecF16_16x16 d;  // 19
  TASSIGN(d, 65536);
  TEXP(boxed, d);  // 20
}

AICORE void strided(__gm__ float *from, __gm__ float *to) {  // 25
  GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>, Layout::ND> from_2(from);
  GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>, Layout::ND> to_2(to);
  VecF32_16x16 a;  // 26
  TASSIGN(a, 2560);
  TLOAD(a, from_2);  // 27
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);  // 28
  TSTORE(to_2, a);
}
