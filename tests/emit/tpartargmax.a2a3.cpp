// tpartargmax.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_16x16 = Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecI32_16x16 = Tile<TileType::Vec, int32_t, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

AICORE void auto_(VecF32_16x16 &src0, VecF32_16x16 &src1, VecI32_16x16 &src0Idx, VecI32_16x16 &src1Idx, VecF32_16x16 &dst, VecI32_16x16 &dstIdx) {  // 2
  TPARTARGMAX(dst, src0, src1, dstIdx, src0Idx, src1Idx);  // 3
}

AICORE void manual() {  // 7
  VecF32_16x16 src0;  // 12
  TASSIGN(src0, 0);
  VecF32_16x16 src1;  // 13
  TASSIGN(src1, 1024);
  VecI32_16x16 src0Idx;  // 14
  TASSIGN(src0Idx, 2048);
  VecI32_16x16 src1Idx;  // 15
  TASSIGN(src1Idx, 3072);
  TPARTARGMAX(src0, src0, src1, src0Idx, src0Idx, src1Idx);  // 16
}
