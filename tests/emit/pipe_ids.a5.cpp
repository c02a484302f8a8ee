// pipe_ids.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using AccF32_16x16 = Tile<TileType::Acc, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using VecF32_8x16 = Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_16x16 = Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

AICORE void cube() {  // 4
#if defined(__DAV_CUBE__)
  auto pipe = TPipe<0, Direction::DIR_C2V, 1024, 8, 2, false>((__gm__ void *)nullptr, 0, 0);  // 8
  auto pipe_2 = TPipe<2, Direction::DIR_C2V, 1024, 8, 2, true>((__gm__ void *)nullptr, 8192, 0);  // 9
  AccF32_16x16 acc;  // 10
  TASSIGN(acc, 0);
  TPUSH<TPipe<0, Direction::DIR_C2V, 1024, 8, 2, false>, AccF32_16x16, TileSplitAxis::TILE_UP_DOWN>(pipe, acc);  // 11
  TPUSH<TPipe<2, Direction::DIR_C2V, 1024, 8, 2, true>, AccF32_16x16, TileSplitAxis::TILE_NO_SPLIT>(pipe_2, acc);  // 12
#endif // __DAV_CUBE__
}

AICORE void vector() {  // 16
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  if (get_subblockid() == 0) {
    auto pipe = TPipe<0, Direction::DIR_C2V, 1024, 8, 2, false>((__gm__ void *)nullptr, 0, 0);  // 20
    auto pipe_2 = TPipe<2, Direction::DIR_C2V, 1024, 8, 2, true>((__gm__ void *)nullptr, 8192, 0);  // 21
    VecF32_8x16 half_;  // 22
    TPOP<TPipe<0, Direction::DIR_C2V, 1024, 8, 2, false>, VecF32_8x16, TileSplitAxis::TILE_UP_DOWN>(pipe, half_);
    TFREE<TPipe<0, Direction::DIR_C2V, 1024, 8, 2, false>, TileSplitAxis::TILE_UP_DOWN>(pipe);  // 23
    VecF32_16x16 whole;  // 24
    TPOP<TPipe<2, Direction::DIR_C2V, 1024, 8, 2, true>, VecF32_16x16, TileSplitAxis::TILE_NO_SPLIT>(pipe_2, whole);
    TFREE<TPipe<2, Direction::DIR_C2V, 1024, 8, 2, true>, TileSplitAxis::TILE_NO_SPLIT>(pipe_2);  // 25
  }
#endif // __DAV_VEC__
}
