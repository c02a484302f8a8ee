// memory.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF16_16x32_vnxn = Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF16_16x32_v8x16 = Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, 8, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF16_16x32 = Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, 16, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF16_16x32_v16x16 = Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF16_8x64 = Tile<TileType::Vec, half, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecI16_8x64 = Tile<TileType::Vec, int16_t, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void kernel(__gm__ half *x, int32_t rows, int32_t cols) {  // 2
  const int64_t rows_index = rows;
  const int64_t cols_index = cols;
  VecF16_16x32_vnxn open(rows_index, cols_index);  // 9
  TASSIGN(open, 1024);
  VecF16_16x32_v8x16 fixed;  // 10
  TASSIGN(fixed, 0);
  open.SetValidShape(8, cols_index);  // 11
  for (int64_t i = 0; i < rows_index; i += 16) {  // 12
    const int64_t parity = i % 8;  // 13
    VecF16_16x32 tile;  // 14
    TASSIGN(tile, 2048 + parity * 1024);
    const int64_t from = i + 1;  // 15
    GlobalTensor<half, Shape<1, 1, 1, 16, 16>, Stride<-1, -1, -1, -1, 1>, Layout::ND> part(x + from * cols_index, Shape<1, 1, 1, 16, 16>(), Stride<-1, -1, -1, -1, 1>(16 * cols_index, 16 * cols_index, 16 * cols_index, cols_index));  // 16
    VecF16_16x32_v16x16 window;  // 17
    TASSIGN(window, (uint64_t)(tile.data() + 16));
    pipe_barrier(PIPE_MTE2);  // 18
    TLOAD(window, part);
    VecF16_8x64 wide_;  // 19
    TRESHAPE(wide_, tile);
    VecI16_8x64 again;  // 20
    TASSIGN(again, (uint64_t)wide_.data());
    int64_t shown;  // 21
    int64_t more;
    shown = open.GetValidRow();
    more = open.GetValidCol();
  }
  const int64_t rows2 = rows_index;  // 23
}
