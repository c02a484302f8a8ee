// gemm_bf16.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatBf16_256x256 = Tile<TileType::Mat, bfloat16_t, 256, 256, BLayout::ColMajor, 256, 256, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatBf16_256x128 = Tile<TileType::Mat, bfloat16_t, 256, 128, BLayout::ColMajor, 256, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightBf16_128x128 = Tile<TileType::Right, bfloat16_t, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftBf16_128x128 = Tile<TileType::Left, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_128x128 = Tile<TileType::Acc, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;

__global__ AICORE void gemm_bf16(__gm__ bfloat16_t *a, __gm__ bfloat16_t *b, __gm__ float *c) {  // 16
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 34
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 35
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 36
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 37
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // 38
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 39
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 40
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 41
  const int64_t block64 = get_block_idx();  // 43
  const int64_t blocks64 = get_block_num();  // 44
  const int64_t block = static_cast<int64_t>(block64);  // 45
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 46
  for (int64_t part = block; part < 32; part += blocks) {  // 47
    const int64_t part_row = static_cast<int64_t>(static_cast<uint64_t>(part) / static_cast<uint64_t>(8));  // 48
    const int64_t part_col = static_cast<int64_t>(static_cast<uint64_t>(part) % static_cast<uint64_t>(8));  // 49
    const int64_t row = part_row * 256;  // 50
    const int64_t col = part_col * 128;  // 51
    for (int64_t k = 0; k < 1024; k += 256) {  // 53
      const int64_t piece = static_cast<int64_t>(static_cast<uint64_t>(k) / static_cast<uint64_t>(256));  // 54
      const int64_t l1 = static_cast<int64_t>(static_cast<uint64_t>(piece) % static_cast<uint64_t>(2));  // 55
      const int64_t a_at = l1 * 131072;  // 56
      const int64_t b_half = l1 * 65536;  // 57
      const int64_t b_at = b_half + 262144;  // 58
      const int64_t a_address = static_cast<int64_t>(a_at);  // 59
      const int64_t b_address = static_cast<int64_t>(b_at);  // 60
      MatBf16_256x256 a_l1;  // 61
      TASSIGN(a_l1, a_address);
      MatBf16_256x128 b_l1;  // 62
      TASSIGN(b_l1, b_address);
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 256, 256>, Stride<262144, 262144, 262144, 1024, 1>, Layout::ND> a_in(a + row * 1024 + k);  // 63
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 256, 128>, Stride<262144, 262144, 262144, 1024, 1>, Layout::ND> b_in(b + k * 1024 + col);  // 64
      wait_flag(PIPE_MTE1, PIPE_MTE2, static_cast<event_t>(l1));  // 65
      TLOAD(a_l1, a_in);  // 66
      TLOAD(b_l1, b_in);  // 67
      set_flag(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(l1));  // 68
      wait_flag(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(l1));  // 69
      for (int64_t inner = 0; inner < 256; inner += 128) {  // 71
        const int64_t slice = static_cast<int64_t>(static_cast<uint64_t>(inner) / static_cast<uint64_t>(128));  // 72
        const int64_t l0 = static_cast<int64_t>(static_cast<uint64_t>(slice) % static_cast<uint64_t>(2));  // 73
        const int64_t b_free = l0 + 2;  // 74
        const int64_t b_l0_at = l0 * 32768;  // 75
        const int64_t b_l0_address = static_cast<int64_t>(b_l0_at);  // 76
        RightBf16_128x128 b_l0;  // 77
        TASSIGN(b_l0, b_l0_address);
        const int64_t depth = k + inner;  // 78
        const bool first = depth == 0;  // 79
        wait_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(b_free));  // 80
        TEXTRACT(b_l0, b_l1, inner, 0);  // 81
        for (int64_t half_ = 0; half_ < 2; ++half_) {  // 83
          const int64_t down = half_ * 128;  // 84
          const int64_t a_l0_at = half_ * 32768;  // 85
          const int64_t a_l0_address = static_cast<int64_t>(a_l0_at);  // 86
          LeftBf16_128x128 a_l0;  // 87
          TASSIGN(a_l0, a_l0_address);
          const int64_t acc_at = half_ * 65536;  // 88
          const int64_t acc_address = static_cast<int64_t>(acc_at);  // 89
          AccF32_128x128 sum;  // 90
          TASSIGN(sum, acc_address);
          wait_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(half_));  // 91
          TEXTRACT(a_l0, a_l1, down, inner);  // 92
          set_flag(PIPE_MTE1, PIPE_M, static_cast<event_t>(half_));  // 93
          wait_flag(PIPE_MTE1, PIPE_M, static_cast<event_t>(half_));  // 94
          if (first) {  // 95
            wait_flag(PIPE_FIX, PIPE_M, static_cast<event_t>(half_));  // 96
            TMATMUL(sum, a_l0, b_l0);  // 97
          } else {
            TMATMUL_ACC(sum, sum, a_l0, b_l0);  // 99
          }
          set_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(half_));  // 101
        }
        set_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(b_free));  // 103
      }
      set_flag(PIPE_MTE1, PIPE_MTE2, static_cast<event_t>(l1));  // 105
    }
    for (int64_t half__2 = 0; half__2 < 2; ++half__2) {  // 108
      const int64_t acc_at_2 = half__2 * 65536;  // 109
      const int64_t acc_address_2 = static_cast<int64_t>(acc_at_2);  // 110
      AccF32_128x128 sum_2;  // 111
      TASSIGN(sum_2, acc_address_2);
      const int64_t down_2 = half__2 * 128;  // 112
      const int64_t out_row = row + down_2;  // 113
      GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<131072, 131072, 131072, 1024, 1>, Layout::ND> out(c + out_row * 1024 + col);  // 114
      set_flag(PIPE_M, PIPE_FIX, static_cast<event_t>(half__2));  // 115
      wait_flag(PIPE_M, PIPE_FIX, static_cast<event_t>(half__2));  // 116
      TSTORE(out, sum_2);  // 117
      set_flag(PIPE_FIX, PIPE_M, static_cast<event_t>(half__2));  // 118
    }
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 122
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 123
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 124
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 125
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // 126
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 127
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 128
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 129
}
