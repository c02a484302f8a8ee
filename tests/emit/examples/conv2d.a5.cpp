// conv2d.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatF16_1024x16_nd = Tile<TileType::Mat, half, 1024, 16, BLayout::RowMajor, 1024, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using MatF16_144x32 = Tile<TileType::Mat, half, 144, 32, BLayout::ColMajor, 144, 32, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightF16_144x32 = Tile<TileType::Right, half, 144, 32, BLayout::RowMajor, 144, 32, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftF16_128x144 = Tile<TileType::Left, half, 128, 144, BLayout::ColMajor, 128, 144, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_128x32 = Tile<TileType::Acc, float, 128, 32, BLayout::ColMajor, 128, 32, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;

__global__ AICORE void conv2d(__gm__ half *x, __gm__ half *w, __gm__ float *y) {  // 16
  GlobalTensor<half, Shape<1, 1, 1, 1024, 16>, Stride<16384, 16384, 16384, 16, 1>, Layout::ND> xs(x);  // 24
  GlobalTensor<half, Shape<1, 1, 1, 144, 32>, Stride<4608, 4608, 4608, 32, 1>, Layout::ND> ws(w);  // 25
  MatF16_1024x16_nd map;  // 27
  TASSIGN(map, 0);
  MatF16_144x32 w_l1;  // 28
  TASSIGN(w_l1, 32768);
  RightF16_144x32 w_l0;  // 29
  TASSIGN(w_l0, 0);
  TLOAD(map, xs);  // 30
  set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
  TLOAD(w_l1, ws);  // 31
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 32
  TMOV(w_l0, w_l1);
  wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);  // 33
  {
    ConvTile<TileType::Mat, half, 16384, Layout::NC1HWC0, ConvTileShape<1, 1, 32, 32, 16>> map_2;
    TASSIGN(map_2, (uint64_t)map.data());
    map_2.SetFmapH(32);
    map_2.SetFmapW(32);
    map_2.SetPadList(0, 1);
    map_2.SetPadList(1, 1);
    map_2.SetPadList(2, 1);
    map_2.SetPadList(3, 1);
    SETFMATRIX<decltype(map_2), SetFmatrixMode::FMATRIX_A_MANUAL>(map_2);
  }
  const int64_t block64 = get_block_idx();  // 35
  const int64_t blocks64 = get_block_num();  // 36
  const int64_t block = static_cast<int64_t>(block64);  // 37
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 38
  const int64_t first = block * 128;  // 39
  const int64_t stride = blocks * 128;  // 40
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 41
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  for (int64_t at = first; at < 1024; at += stride) {
    LeftF16_128x144 neighbours;  // 42
    TASSIGN(neighbours, 0);
    AccF32_128x32 sum;  // 43
    TASSIGN(sum, 0);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 44
    {
      ConvTile<TileType::Mat, half, 16384, Layout::NC1HWC0, ConvTileShape<1, 1, 32, 32, 16>> map_3;
      TASSIGN(map_3, (uint64_t)map.data());
      map_3.SetFmapH(32);
      map_3.SetFmapW(32);
      map_3.SetPadList(0, 1);
      map_3.SetPadList(1, 1);
      map_3.SetPadList(2, 1);
      map_3.SetPadList(3, 1);
      map_3.SetFilterH(3);
      map_3.SetFilterW(3);
      map_3.SetDstStride(8);
      map_3.SetChannelSize(map_3.GetShape(1) * map_3.GetShape(4));
      TIMG2COL<LeftF16_128x144, decltype(map_3), SetFmatrixMode::FMATRIX_A_AUTO>(neighbours, map_3, at, 0);
    }
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 45
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    TMATMUL(sum, neighbours, w_l0);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    GlobalTensor<float, Shape<1, 1, 1, 128, 32>, Stride<4096, 4096, 4096, 32, 1>, Layout::ND> to(y + at * 32);  // 46
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 47
    TSTORE(to, sum);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  }
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 48
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
}
