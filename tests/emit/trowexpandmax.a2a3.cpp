// trowexpandmax.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_16x16 = Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_16x1_dn = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_16x8 = Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 16, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

AICORE void auto_(VecF32_16x16 &src0, VecF32_16x1_dn &src1, VecF32_16x16 &dst) {  // 2
  VecF32_16x8 tmp;  // 3
  TASSIGN(tmp, 0);
  TROWEXPANDMAX(dst, src0, src1, tmp);
}

AICORE void manual() {  // 7
  VecF32_16x16 src0;  // 10
  TASSIGN(src0, 0);
  VecF32_16x1_dn src1;  // 11
  TASSIGN(src1, 1024);
  TROWEXPANDMAX(src0, src0, src1);  // 12
}
