// tmax.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_16x16 = Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

AICORE void auto_(VecF32_16x16 &src0, VecF32_16x16 &src1) {  // 2
  VecF32_16x16 dst;  // 3
  TASSIGN(dst, 0);
  TMAX(dst, src0, src1);
}

AICORE void manual() {  // 7
  VecF32_16x16 src0;  // 8
  VecF32_16x16 src1;  // 9
  VecF32_16x16 dst;  // 10
  TASSIGN(src0, 4096);  // 11
  TASSIGN(src1, 8192);  // 12
  TASSIGN(dst, 12288);  // 13
  TMAX(dst, src0, src1);  // 14
}
