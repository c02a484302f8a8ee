// gemm.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatF32_128x128 = Tile<TileType::Mat, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatF32_128x256 = Tile<TileType::Mat, float, 128, 256, BLayout::ColMajor, 128, 256, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftF32_128x64 = Tile<TileType::Left, float, 128, 64, BLayout::ColMajor, 128, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightF32_64x128 = Tile<TileType::Right, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_128x128 = Tile<TileType::Acc, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;

__global__ AICORE void gemm(__gm__ float *a, __gm__ float *b, __gm__ float *c) {  // 15
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 35
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 36
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 37
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 38
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // 39
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 40
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 41
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 42
  const int64_t block64 = get_block_idx();  // 44
  const int64_t blocks64 = get_block_num();  // 45
  const int64_t block = static_cast<int64_t>(block64);  // 46
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 47
  for (int64_t part = block; part < 32; part += blocks) {  // 48
    const int64_t part_row = static_cast<int64_t>(static_cast<uint64_t>(part) / static_cast<uint64_t>(4));  // 49
    const int64_t part_col = static_cast<int64_t>(static_cast<uint64_t>(part) % static_cast<uint64_t>(4));  // 50
    const int64_t row = part_row * 128;  // 51
    const int64_t col = part_col * 256;  // 52
    for (int64_t k = 0; k < 1024; k += 128) {  // 54
      const int64_t piece = static_cast<int64_t>(static_cast<uint64_t>(k) / static_cast<uint64_t>(128));  // 55
      const int64_t l1 = static_cast<int64_t>(static_cast<uint64_t>(piece) % static_cast<uint64_t>(2));  // 56
      const int64_t a_at = l1 * 65536;  // 57
      const int64_t b_behind = l1 * 131072;  // 58
      const int64_t b_at = b_behind + 131072;  // 59
      const int64_t a_address = static_cast<int64_t>(a_at);  // 60
      const int64_t b_address = static_cast<int64_t>(b_at);  // 61
      MatF32_128x128 a_l1;  // 62
      TASSIGN(a_l1, a_address);
      MatF32_128x256 b_l1;  // 63
      TASSIGN(b_l1, b_address);
      GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<131072, 131072, 131072, 1024, 1>, Layout::ND> a_in(a + row * 1024 + k);  // 64
      GlobalTensor<float, Shape<1, 1, 1, 128, 256>, Stride<131072, 131072, 131072, 1024, 1>, Layout::ND> b_in(b + k * 1024 + col);  // 65
      wait_flag(PIPE_MTE1, PIPE_MTE2, static_cast<event_t>(l1));  // 66
      TLOAD(a_l1, a_in);  // 67
      TLOAD(b_l1, b_in);  // 68
      set_flag(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(l1));  // 69
      wait_flag(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(l1));  // 70
      for (int64_t inner = 0; inner < 128; inner += 64) {  // 72
        const int64_t slice = static_cast<int64_t>(static_cast<uint64_t>(inner) / static_cast<uint64_t>(64));  // 73
        const int64_t slice_event = slice + 2;  // 74
        const int64_t left_at = slice * 32768;  // 75
        const int64_t left_address = static_cast<int64_t>(left_at);  // 76
        LeftF32_128x64 a_l0;  // 77
        TASSIGN(a_l0, left_address);
        wait_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(slice_event));  // 78
        TEXTRACT(a_l0, a_l1, 0, inner);  // 79
        const int64_t depth = k + inner;  // 80
        const bool first = depth == 0;  // 81
        const bool last = depth == 960;  // 82
        for (int64_t half_ = 0; half_ < 2; ++half_) {  // 84
          const int64_t right_at = half_ * 32768;  // 85
          const int64_t right_address = static_cast<int64_t>(right_at);  // 86
          const int64_t acc_at = half_ * 65536;  // 87
          const int64_t acc_address = static_cast<int64_t>(acc_at);  // 88
          const int64_t half_col = half_ * 128;  // 89
          RightF32_64x128 b_l0;  // 90
          TASSIGN(b_l0, right_address);
          AccF32_128x128 sum;  // 91
          TASSIGN(sum, acc_address);
          wait_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(half_));  // 92
          TEXTRACT(b_l0, b_l1, inner, half_col);  // 93
          set_flag(PIPE_MTE1, PIPE_M, static_cast<event_t>(half_));  // 94
          wait_flag(PIPE_MTE1, PIPE_M, static_cast<event_t>(half_));  // 95
          if (first) {  // 96
            wait_flag(PIPE_FIX, PIPE_M, static_cast<event_t>(half_));  // 97
            TMATMUL(sum, a_l0, b_l0);  // 98
          } else {
            TMATMUL_ACC(sum, sum, a_l0, b_l0);  // 100
          }
          set_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(half_));  // 102
          if (last) {  // 103
            const int64_t out_col = col + half_col;  // 104
            GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<131072, 131072, 131072, 1024, 1>, Layout::ND> out(c + row * 1024 + out_col);  // 105
            set_flag(PIPE_M, PIPE_FIX, static_cast<event_t>(half_));  // 106
            wait_flag(PIPE_M, PIPE_FIX, static_cast<event_t>(half_));  // 107
            TSTORE(out, sum);  // 108
            set_flag(PIPE_FIX, PIPE_M, static_cast<event_t>(half_));  // 109
          }
        }
        set_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(slice_event));  // 112
      }
      set_flag(PIPE_MTE1, PIPE_MTE2, static_cast<event_t>(l1));  // 114
    }
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 118
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 119
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 120
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 121
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // 122
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 123
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 124
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 125
}
