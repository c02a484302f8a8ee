// mxfp8_gemm.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using AccF32_64x64 = Tile<TileType::Acc, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using MatF8e4m3_64x128 = Tile<TileType::Mat, float8_e4m3_t, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatF8e4m3_128x64 = Tile<TileType::Mat, float8_e4m3_t, 128, 64, BLayout::ColMajor, 128, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatF8e8m0_64x4_zz = Tile<TileType::Mat, float8_e8m0_t, 64, 4, BLayout::RowMajor, 64, 4, SLayout::RowMajor, 32, PadValue::Null, CompactMode::Null>;
using MatF8e8m0_4x64_nn = Tile<TileType::Mat, float8_e8m0_t, 4, 64, BLayout::ColMajor, 4, 64, SLayout::ColMajor, 32, PadValue::Null, CompactMode::Null>;
using LeftF8e4m3_64x128 = Tile<TileType::Left, float8_e4m3_t, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightF8e4m3_128x64 = Tile<TileType::Right, float8_e4m3_t, 128, 64, BLayout::RowMajor, 128, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using ScalingF8e8m0_64x4_zz = Tile<TileType::Scaling, float8_e8m0_t, 64, 4, BLayout::RowMajor, 64, 4, SLayout::RowMajor, 32, PadValue::Null, CompactMode::Null>;
using ScalingF8e8m0_4x64_nn = Tile<TileType::Scaling, float8_e8m0_t, 4, 64, BLayout::ColMajor, 4, 64, SLayout::ColMajor, 32, PadValue::Null, CompactMode::Null>;

__global__ AICORE void mxfp8_gemm(__gm__ float8_e4m3_t *a, __gm__ float8_e8m0_t *a_scales, __gm__ float8_e4m3_t *b, __gm__ float8_e8m0_t *b_scales, __gm__ float *y) {  // 18
  const int64_t block64 = get_block_idx();  // 34
  const int64_t blocks64 = get_block_num();  // 35
  const int64_t block = static_cast<int64_t>(block64);  // 36
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 37
  for (int64_t part = block; part < 16; part += blocks) {  // 38
    const int64_t part_row = static_cast<int64_t>(static_cast<uint64_t>(part) / static_cast<uint64_t>(4));  // 39
    const int64_t part_col = static_cast<int64_t>(static_cast<uint64_t>(part) % static_cast<uint64_t>(4));  // 40
    const int64_t row = part_row * 64;  // 41
    const int64_t col = part_col * 64;  // 42
    AccF32_64x64 sum;  // 43
    TASSIGN(sum, 0);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 44
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    for (int64_t k = 0; k < 256; k += 128) {
      const int64_t pair = static_cast<int64_t>(static_cast<uint64_t>(k) / static_cast<uint64_t>(64));  // 45
      GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 64, 128>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> a_in(a + row * 256 + k);  // 46
      GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 128, 64>, Stride<32768, 32768, 32768, 256, 1>, Layout::ND> b_in(b + k * 256 + col);  // 47
      GlobalTensor<float8_e8m0_t, Shape<1, 1, 64, 2, 2>, Stride<2048, 2048, 8, 2, 1>, Layout::MX_A_ND> sa_in(a_scales + row * 8 + pair * 2);  // 48
      GlobalTensor<float8_e8m0_t, Shape<1, 1, 64, 2, 2>, Stride<2048, 2048, 8, 2, 1>, Layout::MX_B_DN> sb_in(b_scales + col * 8 + pair * 2);  // 49
      MatF8e4m3_64x128 a_l1;  // 50
      TASSIGN(a_l1, 0);
      MatF8e4m3_128x64 b_l1;  // 51
      TASSIGN(b_l1, 8192);
      MatF8e8m0_64x4_zz sa_l1;  // 52
      TASSIGN(sa_l1, 16384);
      MatF8e8m0_4x64_nn sb_l1;  // 53
      TASSIGN(sb_l1, 16640);
      LeftF8e4m3_64x128 a_l0;  // 54
      TASSIGN(a_l0, 0);
      RightF8e4m3_128x64 b_l0;  // 55
      TASSIGN(b_l0, 0);
      ScalingF8e8m0_64x4_zz sa_l0;  // 56
      TASSIGN(sa_l0, 0);
      ScalingF8e8m0_4x64_nn sb_l0;  // 57
      TASSIGN(sb_l0, 256);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 58
      TLOAD(a_l1, a_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 59
      TLOAD(b_l1, b_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1);
      wait_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID0);  // 60
      TLOAD(sa_l1, sa_in);
      set_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID0);
      wait_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID1);  // 61
      TLOAD(sb_l1, sb_in);
      set_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID1);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 62
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      TMOV(a_l0, a_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1);  // 63
      TMOV(b_l0, b_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID0);  // 64
      wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
      TMOV(sa_l0, sa_l1);
      set_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID1);  // 65
      TMOV(sb_l0, sb_l1);
      set_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID1);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      const bool first = k == 0;  // 66
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 67
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      if (first) {
        TMATMUL_MX(sum, a_l0, sa_l0, b_l0, sb_l0);  // 68
      } else {
        TMATMUL_MX(sum, sum, a_l0, sa_l0, b_l0, sb_l0);  // 70
      }
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 71
      set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 72
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> to(y + row * 256 + col);  // 73
    TSTORE(to, sum);  // 74
  }
}
