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

__global__ AICORE void mxfp8_gemm(__gm__ float8_e4m3_t *a, __gm__ float8_e8m0_t *a_scales, __gm__ float8_e4m3_t *b, __gm__ float8_e8m0_t *b_scales, __gm__ float *y) {  // 22
  const int64_t block64 = get_block_idx();  // 38
  const int64_t blocks64 = get_block_num();  // 39
  const int64_t block = static_cast<int64_t>(block64);  // 40
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 41
  for (int64_t part = block; part < 16; part += blocks) {  // 42
    const int64_t part_row = static_cast<int64_t>(static_cast<uint64_t>(part) / static_cast<uint64_t>(4));  // 43
    const int64_t part_col = static_cast<int64_t>(static_cast<uint64_t>(part) % static_cast<uint64_t>(4));  // 44
    const int64_t row = part_row * 64;  // 45
    const int64_t col = part_col * 64;  // 46
    AccF32_64x64 sum;  // 47
    TASSIGN(sum, 0);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 48
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    for (int64_t k = 0; k < 256; k += 128) {
      const int64_t pair = static_cast<int64_t>(static_cast<uint64_t>(k) / static_cast<uint64_t>(64));  // 49
      GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 64, 128>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> a_in(a + row * 256 + k);  // 50
      GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 128, 64>, Stride<32768, 32768, 32768, 256, 1>, Layout::ND> b_in(b + k * 256 + col);  // 51
      GlobalTensor<float8_e8m0_t, Shape<1, 1, 64, 2, 2>, Stride<2048, 2048, 8, 2, 1>, Layout::MX_A_ND> sa_in(a_scales + row * 8 + pair * 2);  // 52
      GlobalTensor<float8_e8m0_t, Shape<1, 1, 64, 2, 2>, Stride<2048, 2048, 8, 2, 1>, Layout::MX_B_DN> sb_in(b_scales + col * 8 + pair * 2);  // 53
      MatF8e4m3_64x128 a_l1;  // 54
      TASSIGN(a_l1, 0);
      MatF8e4m3_128x64 b_l1;  // 55
      TASSIGN(b_l1, 8192);
      MatF8e8m0_64x4_zz sa_l1;  // 56
      TASSIGN(sa_l1, 16384);
      MatF8e8m0_4x64_nn sb_l1;  // 57
      TASSIGN(sb_l1, 16640);
      LeftF8e4m3_64x128 a_l0;  // 58
      TASSIGN(a_l0, 0);
      RightF8e4m3_128x64 b_l0;  // 59
      TASSIGN(b_l0, 0);
      ScalingF8e8m0_64x4_zz sa_l0;  // 60
      TASSIGN(sa_l0, 0);
      ScalingF8e8m0_4x64_nn sb_l0;  // 61
      TASSIGN(sb_l0, 256);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 62
      TLOAD(a_l1, a_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 63
      TLOAD(b_l1, b_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1);
      wait_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID0);  // 64
      TLOAD(sa_l1, sa_in);
      set_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID0);
      wait_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID1);  // 65
      TLOAD(sb_l1, sb_in);
      set_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID1);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 66
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      TMOV(a_l0, a_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1);  // 67
      TMOV(b_l0, b_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID0);  // 68
      wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
      TMOV(sa_l0, sa_l1);
      set_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID1);  // 69
      TMOV(sb_l0, sb_l1);
      set_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID1);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      const bool first = k == 0;  // 70
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 71
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      if (first) {
        TMATMUL_MX(sum, a_l0, sa_l0, b_l0, sb_l0);  // 72
      } else {
        TMATMUL_MX(sum, sum, a_l0, sa_l0, b_l0, sb_l0);  // 74
      }
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 75
      set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 76
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_FIX, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> to(y + row * 256 + col);  // 77
    TSTORE(to, sum);  // 78
  }
}
