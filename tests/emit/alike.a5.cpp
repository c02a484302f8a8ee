// alike.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecU8_8x32_v8x6 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 8, 6, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x64 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecU32_1x8 = Tile<TileType::Vec, uint32_t, 1, 8, BLayout::RowMajor, 1, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x64_v8x48 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 48, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x128_v8x48 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 8, 48, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

AICORE void select(VecU8_8x32_v8x6 &m, VecF32_8x64 &a, VecF32_8x64 &b, VecU32_1x8 &w, VecF32_8x64 &d, VecF32_8x64_v8x48 &part, VecF32_8x128_v8x48 &wide_) {  // 9
  TSEL(d, m, a, b, w);  // 10
  TSEL_IMPL(part, m, a, b, w);  // 11
  TSEL_IMPL(part, m, part, wide_, w);  // 12
}
