// layer_norm.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, 8, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x1_dn = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void layer_norm(__gm__ float *x, __gm__ float *w, __gm__ float *b, __gm__ float *y) {  // 13
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> ws(w);  // 22
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> bs(b);  // 23
  VecF32_1x1024 weight;  // 26
  TASSIGN(weight, 0);
  VecF32_1x1024 bias;  // 27
  TASSIGN(bias, 4096);
  TLOAD(weight, ws);  // 28
  TLOAD(bias, bs);  // 29
  const int64_t block64 = get_block_idx();  // 31
  const int64_t blocks64 = get_block_num();  // 32
  const int64_t block = static_cast<int64_t>(block64);  // 33
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 34
  const int64_t first = block * 8;  // 35
  const int64_t stride = blocks * 8;  // 36
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 38
  for (int64_t at = first; at < 4096; at += stride) {
    GlobalTensor<float, Shape<1, 1, 1, 8, 1024>, Stride<8192, 8192, 8192, 1024, 1>, Layout::ND> in(x + at * 1024);  // 39
    GlobalTensor<float, Shape<1, 1, 1, 8, 1024>, Stride<8192, 8192, 8192, 1024, 1>, Layout::ND> out(y + at * 1024);  // 40
    VecF32_8x1024 t;  // 41
    TASSIGN(t, 41024);
    VecF32_8x1024 squares;  // 42
    TASSIGN(squares, 73792);
    VecF32_8x1024 scratch;  // 43
    TASSIGN(scratch, 8192);
    VecF32_8x1_dn mean;  // 44
    TASSIGN(mean, 40960);
    VecF32_8x1_dn variance;  // 45
    TASSIGN(variance, 40992);
    VecF32_1x8 means;  // 46
    TRESHAPE(means, mean);
    VecF32_1x8 variances;  // 47
    TRESHAPE(variances, variance);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 49
    TLOAD(t, in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 50
    TROWSUM(mean, t, scratch);
    TMULS(means, means, 0.0009765625f);  // 51
    TROWEXPANDSUB(t, t, mean);  // 52
    TMUL(squares, t, t);  // 53
    TROWSUM(variance, squares, scratch);  // 54
    TMULS(variances, variances, 0.0009765625f);  // 55
    TADDS(variances, variances, 1e-5f);  // 56
    TRSQRT(variances, variances);  // 57
    TROWEXPANDMUL(t, t, variance);  // 58
    TCOLEXPANDMUL(t, t, weight);  // 59
    TCOLEXPANDADD(t, t, bias);  // 60
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 61
    TSTORE(out, t);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  }
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 62
}
