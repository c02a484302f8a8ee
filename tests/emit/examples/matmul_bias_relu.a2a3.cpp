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

static AICORE void cube(__gm__ half *x, __gm__ half *w, __gm__ float *slots) {  // 26
#if defined(__DAV_CUBE__)
  auto pipe = TPipe<0, Direction::DIR_C2V, 65536, 4, 1, false>(slots, 0, 0);  // 34
  GlobalTensor<half, Shape<1, 1, 1, 256, 128>, Stride<32768, 32768, 32768, 128, 1>, Layout::ND> ws(w);  // 36
  MatF16_256x128 w_l1;  // 37
  TASSIGN(w_l1, 0);
  TLOAD(w_l1, ws);  // 38
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 39
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  for (int64_t at = 0; at < 512; at += 128) {
    GlobalTensor<half, Shape<1, 1, 1, 128, 256>, Stride<32768, 32768, 32768, 256, 1>, Layout::ND> in(x + at * 256);  // 40
    MatF16_128x256 x_l1;  // 41
    TASSIGN(x_l1, 65536);
    LeftF16_128x128 x_l0;  // 42
    TASSIGN(x_l0, 0);
    RightF16_128x128 w_l0;  // 43
    TASSIGN(w_l0, 0);
    AccF32_128x128 sum;  // 44
    TASSIGN(sum, 0);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 45
    TLOAD(x_l1, in);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 46
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    TEXTRACT(x_l0, x_l1, 0, 0);
    TEXTRACT(w_l0, w_l1, 0, 0);  // 47
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 48
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    TMATMUL(sum, x_l0, w_l0);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 49
    TEXTRACT(x_l0, x_l1, 0, 128);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
    TEXTRACT(w_l0, w_l1, 128, 0);  // 50
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 51
    TMATMUL_ACC(sum, sum, x_l0, w_l0);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 52
    TPUSH<TPipe<0, Direction::DIR_C2V, 65536, 4, 1, false>, AccF32_128x128, TileSplitAxis::TILE_UP_DOWN>(pipe, sum);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 53
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
#endif // __DAV_CUBE__
}

static AICORE void vector(__gm__ float *bias, __gm__ float *y, __gm__ float *slots) {  // 57
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto pipe = TPipe<0, Direction::DIR_C2V, 65536, 4, 1, false>(slots, 0, 0);  // 65
  GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<128, 128, 128, 128, 1>, Layout::ND> bs(bias);  // 66
  VecF32_1x128 b;  // 68
  TASSIGN(b, 65536);
  TLOAD(b, bs);  // 69
  const int64_t number64 = get_subblockid();  // 70
  const int64_t number = static_cast<int64_t>(number64);  // 71
  const int64_t down = number * 64;  // 72
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 73
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  for (int64_t at = 0; at < 512; at += 128) {
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 74
    VecF32_64x128 part;
    TPOP<TPipe<0, Direction::DIR_C2V, 65536, 4, 1, false>, VecF32_64x128, TileSplitAxis::TILE_UP_DOWN>(pipe, part);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    VecF32_64x128 sum;  // 75
    TASSIGN(sum, 66048);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 76
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    TCOLEXPANDADD(sum, part, b);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    TFREE<TPipe<0, Direction::DIR_C2V, 65536, 4, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe);  // 77
    pipe_barrier(PIPE_V);  // 78
    TRELU(sum, sum);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    const int64_t row_at = at + down;  // 79
    GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<8192, 8192, 8192, 128, 1>, Layout::ND> to(y + row_at * 128);  // 80
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 81
    TSTORE(to, sum);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 82
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
#endif // __DAV_VEC__
}

__global__ AICORE void matmul_bias_relu(__gm__ half *x, __gm__ half *w, __gm__ float *bias, __gm__ float *y, __gm__ float *slots) {  // 20
  cube(x, w, slots);  // 21
  vector(bias, y, slots);  // 22
}
