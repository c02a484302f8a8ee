// in_place.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_8x64 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x64_vnxn = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void sums(__gm__ float *x, __gm__ float *y, __gm__ float *z, float s) {  // 9
  GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<512, 512, 512, 64, 1>, Layout::ND> xs(x);  // 13
  GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<512, 512, 512, 64, 1>, Layout::ND> ys(y);  // 14
  GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<512, 512, 512, 64, 1>, Layout::ND> zs(z);  // 15
  VecF32_8x64 a;  // 16
  TASSIGN(a, 0);
  VecF32_8x64 b;  // 17
  TASSIGN(b, 2048);
  TLOAD(a, xs);  // 18
  TLOAD(b, ys);  // 19
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
  VecF32_8x64 tmp;  // 20
  TASSIGN(tmp, 4096);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
  TADDS(tmp, a, s);
  TADD(tmp, tmp, b);
  TMOV(b, tmp);
  VecF32_8x64 tmp_1;  // 21
  TASSIGN(tmp_1, 6144);
  TSUB(tmp_1, a, b);
  TADD(tmp_1, tmp_1, a);
  TMOV(a, tmp_1);
  TADD(a, a, b);  // 22
  TADD(a, a, b);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);  // 23
  TSTORE(zs, a);
}

__global__ AICORE void placed(__gm__ float *x, __gm__ float *y, float s) {  // 28
  GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<512, 512, 512, 64, 1>, Layout::ND> xs(x);  // 34
  GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<512, 512, 512, 64, 1>, Layout::ND> ys(y);  // 35
  VecF32_8x64 a;  // 36
  TASSIGN(a, 0);
  VecF32_8x64 b;  // 37
  TASSIGN(b, 2048);
  VecF32_8x64 same;  // 38
  TASSIGN(same, 2048);
  TLOAD(a, xs);  // 39
  TLOAD(b, xs);  // 40
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 41
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 42
  VecF32_8x64 tmp_2;  // 43
  TASSIGN(tmp_2, 4096);
  TSUBS(tmp_2, a, s);
  TADD(tmp_2, tmp_2, same);
  TMOV(b, tmp_2);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 44
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 45
  TSTORE(ys, b);  // 46
}

AICORE void partial(VecF32_8x64_vnxn &a, VecF32_8x64_vnxn &b) {  // 51
  int64_t rows_1;  // 52
  int64_t cols_1;
  rows_1 = b.GetValidRow();
  cols_1 = b.GetValidCol();
  VecF32_8x64_vnxn tmp_3(rows_1, cols_1);
  TASSIGN(tmp_3, 8192);
  TADD(tmp_3, a, a);
  TADD(tmp_3, tmp_3, b);
  TMOV(b, tmp_3);
}

AICORE void power(VecI32_8x64 &a, VecI32_8x64 &b, VecI32_8x64 &d, int32_t n) {  // 57
  TPOW(d, a, b, d);  // 58
  TPOWS(a, d, n, a);  // 59
}
