// matmul_bias_relu.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatF16_256x128 = Tile<TileType::Mat, half, 256, 128, BLayout::ColMajor, 256, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatF16_128x256 = Tile<TileType::Mat, half, 128, 256, BLayout::ColMajor, 128, 256, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftF16_128x128 = Tile<TileType::Left, half, 128, 128, BLayout::RowMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightF16_128x128 = Tile<TileType::Right, half, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_128x128 = Tile<TileType::Acc, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

static AICORE void cube(__gm__ half *x, __gm__ half *w, __gm__ float *slots) {  // 24
#if defined(__DAV_CUBE__)
  dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);  // 32
  auto pipe = TPipe<0, Direction::DIR_C2V, 65536, 4, 1, false>(slots, 0, 0);
  GlobalTensor<half, Shape<1, 1, 1, 256, 128>, Stride<32768, 32768, 32768, 128, 1>, Layout::ND> ws(w);  // 34
  MatF16_256x128 w_l1;  // 35
  TASSIGN(w_l1, 0);
  TLOAD(w_l1, ws);  // 36
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 37
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  for (int64_t at = 0; at < 512; at += 128) {
    GlobalTensor<half, Shape<1, 1, 1, 128, 256>, Stride<32768, 32768, 32768, 256, 1>, Layout::ND> in(x + at * 256);  // 38
    MatF16_128x256 x_l1;  // 39
    TASSIGN(x_l1, 65536);
    LeftF16_128x128 x_l0;  // 40
    TASSIGN(x_l0, 0);
    RightF16_128x128 w_l0;  // 41
    TASSIGN(w_l0, 0);
    AccF32_128x128 sum;  // 42
    TASSIGN(sum, 0);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 43
    TLOAD(x_l1, in);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 44
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    TEXTRACT(x_l0, x_l1, 0, 0);
    TEXTRACT(w_l0, w_l1, 0, 0);  // 45
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 46
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    TMATMUL(sum, x_l0, w_l0);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 47
    TEXTRACT(x_l0, x_l1, 0, 128);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
    TEXTRACT(w_l0, w_l1, 128, 0);  // 48
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 49
    TMATMUL_ACC(sum, sum, x_l0, w_l0);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 50
    TPUSH<TPipe<0, Direction::DIR_C2V, 65536, 4, 1, false>, AccF32_128x128, TileSplitAxis::TILE_UP_DOWN>(pipe, sum);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 51
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
#endif // __DAV_CUBE__
}

static AICORE void vector(__gm__ float *bias, __gm__ float *y, __gm__ float *slots) {  // 55
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);  // 63
  auto pipe = TPipe<0, Direction::DIR_C2V, 65536, 4, 1, false>(slots, 0, 0);
  GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<128, 128, 128, 128, 1>, Layout::ND> bs(bias);  // 64
  VecF32_1x128 b;  // 66
  TASSIGN(b, 65536);
  TLOAD(b, bs);  // 67
  const int64_t number64 = get_subblockid();  // 68
  const int64_t number = static_cast<int64_t>(number64);  // 69
  const int64_t down = number * 64;  // 70
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 71
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  for (int64_t at = 0; at < 512; at += 128) {
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 72
    VecF32_64x128 part;
    TPOP<TPipe<0, Direction::DIR_C2V, 65536, 4, 1, false>, VecF32_64x128, TileSplitAxis::TILE_UP_DOWN>(pipe, part);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    VecF32_64x128 sum;  // 73
    TASSIGN(sum, 66048);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 74
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    TCOLEXPANDADD(sum, part, b);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    TFREE<TPipe<0, Direction::DIR_C2V, 65536, 4, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe);  // 75
    pipe_barrier(PIPE_V);  // 76
    TRELU(sum, sum);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    const int64_t row_at = at + down;  // 77
    GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<8192, 8192, 8192, 128, 1>, Layout::ND> to(y + row_at * 128);  // 78
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 79
    TSTORE(to, sum);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 80
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
#endif // __DAV_VEC__
}

__global__ AICORE void matmul_bias_relu(__gm__ half *x, __gm__ half *w, __gm__ float *bias, __gm__ float *y, __gm__ float *slots) {  // 18
  cube(x, w, slots);  // 19
  vector(bias, y, slots);  // 20
}
