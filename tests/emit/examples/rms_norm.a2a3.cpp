// rms_norm.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, 8, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x1_dn = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_8x8 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 8, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void rms_norm(__gm__ float *x, __gm__ float *w, __gm__ float *y) {  // 13
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> ws(w);  // 22
  VecF32_1x1024 weight;  // 25
  TASSIGN(weight, 0);
  TLOAD(weight, ws);  // 26
  const int64_t block64 = get_block_idx();  // 28
  const int64_t blocks64 = get_block_num();  // 29
  const int64_t block = static_cast<int64_t>(block64);  // 30
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 31
  const int64_t first = block * 8;  // 32
  const int64_t stride = blocks * 8;  // 33
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 35
  for (int64_t at = first; at < 4096; at += stride) {
    GlobalTensor<float, Shape<1, 1, 1, 8, 1024>, Stride<8192, 8192, 8192, 1024, 1>, Layout::ND> in(x + at * 1024);  // 36
    GlobalTensor<float, Shape<1, 1, 1, 8, 1024>, Stride<8192, 8192, 8192, 1024, 1>, Layout::ND> out(y + at * 1024);  // 37
    VecF32_8x1024 t;  // 38
    TASSIGN(t, 4128);
    VecF32_8x1024 squares;  // 39
    TASSIGN(squares, 36896);
    VecF32_8x1024 scratch;  // 40
    TASSIGN(scratch, 69664);
    VecF32_8x1_dn mean;  // 41
    TASSIGN(mean, 4096);
    VecF32_1x8 means;  // 42
    TRESHAPE(means, mean);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 44
    TLOAD(t, in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 45
    TMUL(squares, t, t);
    pipe_barrier(PIPE_V);  // 46
    TROWSUM(mean, squares, scratch);
    pipe_barrier(PIPE_V);  // 47
    TMULS(means, means, 0.0009765625f);
    pipe_barrier(PIPE_V);  // 48
    TADDS(means, means, 1e-5f);
    pipe_barrier(PIPE_V);  // 49
    TRSQRT(means, means);
    VecF32_8x8 tmp;  // 50
    TASSIGN(tmp, 102432);
    pipe_barrier(PIPE_V);
    TROWEXPANDMUL(t, t, mean, tmp);
    pipe_barrier(PIPE_V);  // 51
    TCOLEXPANDMUL(t, t, weight);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 52
    TSTORE(out, t);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  }
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 53
}
