// matmul_manual.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatF16_64x64 = Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftF16_64x64 = Tile<TileType::Left, half, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightF16_64x64 = Tile<TileType::Right, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_64x64 = Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;

__global__ AICORE void matmul(__gm__ half *a, __gm__ half *b, __gm__ float *c) {  // 13
#if defined(__DAV_CUBE__)
  GlobalTensor<half, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> aw(a);  // 22
  GlobalTensor<half, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> bw(b);  // 23
  GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> cw(c);  // 24
  MatF16_64x64 am;  // 25
  TASSIGN(am, 0);
  MatF16_64x64 bm;  // 26
  TASSIGN(bm, 8192);
  LeftF16_64x64 al;  // 27
  TASSIGN(al, 0);
  RightF16_64x64 br;  // 28
  TASSIGN(br, 0);
  AccF32_64x64 sum;  // 29
  TASSIGN(sum, 0);
  TLOAD(am, aw);  // 31
  TLOAD(bm, bw);  // 32
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 33
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 34
  TMOV(al, am);  // 35
  TMOV(br, bm);  // 36
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 37
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 38
  TMATMUL(sum, al, br);  // 39
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 40
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 41
  TSTORE(cw, sum);  // 42
#endif // __DAV_CUBE__
}
