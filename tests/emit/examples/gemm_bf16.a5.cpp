// gemm_bf16.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatBf16_256x256 = Tile<TileType::Mat, bfloat16_t, 256, 256, BLayout::ColMajor, 256, 256, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatBf16_256x128 = Tile<TileType::Mat, bfloat16_t, 256, 128, BLayout::ColMajor, 256, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightBf16_128x128 = Tile<TileType::Right, bfloat16_t, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftBf16_128x128 = Tile<TileType::Left, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_128x128 = Tile<TileType::Acc, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;

__global__ AICORE void gemm_bf16(__gm__ bfloat16_t *a, __gm__ bfloat16_t *b, __gm__ float *c) {  // 19
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 37
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 38
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 39
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 40
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // 41
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 42
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 43
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 44
  const int64_t block64 = get_block_idx();  // 46
  const int64_t blocks64 = get_block_num();  // 47
  const int64_t block = static_cast<int64_t>(block64);  // 48
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 49
  for (int64_t part = block; part < 32; part += blocks) {  // 50
    const int64_t part_row = static_cast<int64_t>(static_cast<uint64_t>(part) / static_cast<uint64_t>(8));  // 51
    const int64_t part_col = static_cast<int64_t>(static_cast<uint64_t>(part) % static_cast<uint64_t>(8));  // 52
    const int64_t row = part_row * 256;  // 53
    const int64_t col = part_col * 128;  // 54
    for (int64_t k = 0; k < 1024; k += 256) {  // 56
      const int64_t piece = static_cast<int64_t>(static_cast<uint64_t>(k) / static_cast<uint64_t>(256));  // 57
      const int64_t l1 = static_cast<int64_t>(static_cast<uint64_t>(piece) % static_cast<uint64_t>(2));  // 58
      const int64_t a_at = l1 * 131072;  // 59
      const int64_t b_half = l1 * 65536;  // 60
      const int64_t b_at = b_half + 262144;  // 61
      const int64_t a_address = static_cast<int64_t>(a_at);  // 62
      const int64_t b_address = static_cast<int64_t>(b_at);  // 63
      MatBf16_256x256 a_l1;  // 64
      TASSIGN(a_l1, a_address);
      MatBf16_256x128 b_l1;  // 65
      TASSIGN(b_l1, b_address);
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 256, 256>, Stride<262144, 262144, 262144, 1024, 1>, Layout::ND> a_in(a + row * 1024 + k);  // 66
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 256, 128>, Stride<262144, 262144, 262144, 1024, 1>, Layout::ND> b_in(b + k * 1024 + col);  // 67
      wait_flag(PIPE_MTE1, PIPE_MTE2, static_cast<event_t>(l1));  // 68
      TLOAD(a_l1, a_in);  // 69
      TLOAD(b_l1, b_in);  // 70
      set_flag(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(l1));  // 71
      wait_flag(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(l1));  // 72
      for (int64_t inner = 0; inner < 256; inner += 128) {  // 74
        const int64_t slice = static_cast<int64_t>(static_cast<uint64_t>(inner) / static_cast<uint64_t>(128));  // 75
        const int64_t l0 = static_cast<int64_t>(static_cast<uint64_t>(slice) % static_cast<uint64_t>(2));  // 76
        const int64_t b_free = l0 + 2;  // 77
        const int64_t b_l0_at = l0 * 32768;  // 78
        const int64_t b_l0_address = static_cast<int64_t>(b_l0_at);  // 79
        RightBf16_128x128 b_l0;  // 80
        TASSIGN(b_l0, b_l0_address);
        const int64_t depth = k + inner;  // 81
        const bool first = depth == 0;  // 82
        wait_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(b_free));  // 83
        TEXTRACT(b_l0, b_l1, inner, 0);  // 84
        for (int64_t half_ = 0; half_ < 2; ++half_) {  // 86
          const int64_t down = half_ * 128;  // 87
          const int64_t a_l0_at = half_ * 32768;  // 88
          const int64_t a_l0_address = static_cast<int64_t>(a_l0_at);  // 89
          LeftBf16_128x128 a_l0;  // 90
          TASSIGN(a_l0, a_l0_address);
          const int64_t acc_at = half_ * 65536;  // 91
          const int64_t acc_address = static_cast<int64_t>(acc_at);  // 92
          AccF32_128x128 sum;  // 93
          TASSIGN(sum, acc_address);
          wait_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(half_));  // 94
          TEXTRACT(a_l0, a_l1, down, inner);  // 95
          set_flag(PIPE_MTE1, PIPE_M, static_cast<event_t>(half_));  // 96
          wait_flag(PIPE_MTE1, PIPE_M, static_cast<event_t>(half_));  // 97
          if (first) {  // 98
            wait_flag(PIPE_FIX, PIPE_M, static_cast<event_t>(half_));  // 99
            TMATMUL(sum, a_l0, b_l0);  // 100
          } else {
            TMATMUL_ACC(sum, sum, a_l0, b_l0);  // 102
          }
          set_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(half_));  // 104
        }
        set_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(b_free));  // 106
      }
      set_flag(PIPE_MTE1, PIPE_MTE2, static_cast<event_t>(l1));  // 108
    }
    for (int64_t half__2 = 0; half__2 < 2; ++half__2) {  // 111
      const int64_t acc_at_2 = half__2 * 65536;  // 112
      const int64_t acc_address_2 = static_cast<int64_t>(acc_at_2);  // 113
      AccF32_128x128 sum_2;  // 114
      TASSIGN(sum_2, acc_address_2);
      const int64_t down_2 = half__2 * 128;  // 115
      const int64_t out_row = row + down_2;  // 116
      GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<131072, 131072, 131072, 1024, 1>, Layout::ND> out(c + out_row * 1024 + col);  // 117
      set_flag(PIPE_M, PIPE_FIX, static_cast<event_t>(half__2));  // 118
      wait_flag(PIPE_M, PIPE_FIX, static_cast<event_t>(half__2));  // 119
      TSTORE(out, sum_2);  // 120
      set_flag(PIPE_FIX, PIPE_M, static_cast<event_t>(half__2));  // 121
    }
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 125
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 126
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 127
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 128
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // 129
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 130
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 131
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 132
}
