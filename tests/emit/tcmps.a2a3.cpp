// tcmps.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_16x64 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecU8_16x32_v16x8 = Tile<TileType::Vec, uint8_t, 16, 32, BLayout::RowMajor, 16, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

AICORE void auto_(VecF32_16x64 &src, float limit_, VecU8_16x32_v16x8 &dst) {  // 2
  TCMPS(dst, src, limit_, CmpMode::GT);  // 3
  pipe_barrier(PIPE_V);  // 4
  TCMPS(dst, src, limit_, CmpMode::EQ);
}

AICORE void manual(__gm__ float *x, __gm__ uint8_t *y) {  // 8
  VecF32_16x64 src;  // 12
  TASSIGN(src, 0);
  VecU8_16x32_v16x8 dst;  // 13
  TASSIGN(dst, 8192);
  TCMPS(dst, src, 0.5f, CmpMode::LE);  // 14
}
