// kept_tile.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_8x64 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x64_vnx64 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, -1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void kept(__gm__ float *x, __gm__ float *y, __gm__ float *z, int32_t rows) {  // 7
  const int64_t rows_index = rows;
  GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<512, 512, 512, 64, 1>, Layout::ND> xs(x);  // 14
  GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<512, 512, 512, 64, 1>, Layout::ND> ys(y);  // 15
  GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<512, 512, 512, 64, 1>, Layout::ND> zs(z);  // 16
  VecF32_8x64 first;  // 17
  TASSIGN(first, 0);
  TLOAD(first, xs);  // 18
  VecF32_8x64 second;  // 19
  TASSIGN(second, 2048);
  TLOAD(second, zs);  // 20
  pipe_barrier(PIPE_ALL);  // 21
  TSTORE(ys, first);  // 22
  pipe_barrier(PIPE_ALL);  // 23
  TASSIGN(first, 4096);  // 25
  TLOAD(first, zs);  // 26
  VecF32_8x64_vnx64 some(rows_index);  // 27
  TASSIGN(some, 0);
  VecF32_8x64_vnx64 more(some.GetValidRow());  // 28
  TASSIGN(more, 2048);
  TEXP(some, more);  // 29
}
