// scratch.pto for a2a3. Numbers at the ends of lines are its lines.
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
  TASSIGN(short_, 16896);
  VecF32_16x128 tmp;  // 8
  TASSIGN(tmp, 8704);
  TROWSUM(sum, a, tmp);
  VecF32_16x128 tmp_1;  // 9
  TASSIGN(tmp_1, 20992);
  TCVT(short_, a, tmp_1, RoundMode::CAST_TRUNC, SaturationMode::OFF);
  VecF32_16x128 b;  // 10
  TASSIGN(b, 29184);
  VecF32_16x128 c;  // 11
  TASSIGN(c, 37376);
  VecF32_16x128 tmp_2;  // 12
  TASSIGN(tmp_2, 45568);
  TREM(c, a, b, tmp_2);
  VecF32_16x128 d;  // 15
  TASSIGN(d, 53760);
  VecF32_16x128 tmp_3;  // 16
  TASSIGN(tmp_3, 70144);
  pipe_barrier(PIPE_V);
  TREM(d, c, b, tmp_3);
}
