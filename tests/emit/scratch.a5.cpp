// scratch.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_16x8_v16x1 = Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecI16_16x128 = Tile<TileType::Vec, int16_t, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void kernel(__gm__ float *x) {  // 4
  VecF32_16x128 a;  // 5
  TASSIGN(a, 0);
  VecF32_16x8_v16x1 sum;  // 6
  TASSIGN(sum, 8192);
  VecI16_16x128 short_;  // 7
  TASSIGN(short_, 8704);
  TROWSUM(sum, a, a);  // 8
  TCVT(short_, a, RoundMode::CAST_TRUNC, SaturationMode::OFF);  // 9
  VecF32_16x128 b;  // 10
  TASSIGN(b, 12800);
  VecF32_16x128 c;  // 11
  TASSIGN(c, 20992);
  TREM(c, a, b, c);  // 12
  VecF32_16x128 d;  // 15
  TASSIGN(d, 29184);
  TREM(d, c, b, d);  // 16
}
