// matmul_manual.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatF16_64x64 = Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftF16_64x64 = Tile<TileType::Left, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightF16_64x64 = Tile<TileType::Right, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_64x64 = Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;

__global__ AICORE void matmul(__gm__ half *a, __gm__ half *b, __gm__ float *c) {  // 11
#if defined(__DAV_CUBE__)
  GlobalTensor<half, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> aw(a);  // 20
  GlobalTensor<half, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> bw(b);  // 21
  GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> cw(c);  // 22
  MatF16_64x64 am;  // 23
  TASSIGN(am, 0);
  MatF16_64x64 bm;  // 24
  TASSIGN(bm, 8192);
  LeftF16_64x64 al;  // 25
  TASSIGN(al, 0);
  RightF16_64x64 br;  // 26
  TASSIGN(br, 0);
  AccF32_64x64 sum;  // 27
  TASSIGN(sum, 0);
  TLOAD(am, aw);  // 29
  TLOAD(bm, bw);  // 30
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 31
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 32
  TMOV(al, am);  // 33
  TMOV(br, bm);  // 34
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 35
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 36
  TMATMUL(sum, al, br);  // 37
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 38
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 39
  TSTORE(cw, sum);  // 40
#endif // __DAV_CUBE__
}
