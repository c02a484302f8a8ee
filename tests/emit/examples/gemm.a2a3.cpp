// gemm.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatF32_128x128 = Tile<TileType::Mat, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatF32_128x256 = Tile<TileType::Mat, float, 128, 256, BLayout::ColMajor, 128, 256, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftF32_128x64 = Tile<TileType::Left, float, 128, 64, BLayout::RowMajor, 128, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightF32_64x128 = Tile<TileType::Right, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_128x128 = Tile<TileType::Acc, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;

__global__ AICORE void gemm(__gm__ float *a, __gm__ float *b, __gm__ float *c) {  // 17
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
    const int64_t part_row = static_cast<int64_t>(static_cast<uint64_t>(part) / static_cast<uint64_t>(4));  // 51
    const int64_t part_col = static_cast<int64_t>(static_cast<uint64_t>(part) % static_cast<uint64_t>(4));  // 52
    const int64_t row = part_row * 128;  // 53
    const int64_t col = part_col * 256;  // 54
    for (int64_t k = 0; k < 1024; k += 128) {  // 56
      const int64_t piece = static_cast<int64_t>(static_cast<uint64_t>(k) / static_cast<uint64_t>(128));  // 57
      const int64_t l1 = static_cast<int64_t>(static_cast<uint64_t>(piece) % static_cast<uint64_t>(2));  // 58
      const int64_t a_at = l1 * 65536;  // 59
      const int64_t b_behind = l1 * 131072;  // 60
      const int64_t b_at = b_behind + 131072;  // 61
      const int64_t a_address = static_cast<int64_t>(a_at);  // 62
      const int64_t b_address = static_cast<int64_t>(b_at);  // 63
      MatF32_128x128 a_l1;  // 64
      TASSIGN(a_l1, a_address);
      MatF32_128x256 b_l1;  // 65
      TASSIGN(b_l1, b_address);
      GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<131072, 131072, 131072, 1024, 1>, Layout::ND> a_in(a + row * 1024 + k);  // 66
      GlobalTensor<float, Shape<1, 1, 1, 128, 256>, Stride<131072, 131072, 131072, 1024, 1>, Layout::ND> b_in(b + k * 1024 + col);  // 67
      wait_flag(PIPE_MTE1, PIPE_MTE2, static_cast<event_t>(l1));  // 68
      TLOAD(a_l1, a_in);  // 69
      TLOAD(b_l1, b_in);  // 70
      set_flag(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(l1));  // 71
      wait_flag(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(l1));  // 72
      for (int64_t inner = 0; inner < 128; inner += 64) {  // 74
        const int64_t slice = static_cast<int64_t>(static_cast<uint64_t>(inner) / static_cast<uint64_t>(64));  // 75
        const int64_t slice_event = slice + 2;  // 76
        const int64_t left_at = slice * 32768;  // 77
        const int64_t left_address = static_cast<int64_t>(left_at);  // 78
        LeftF32_128x64 a_l0;  // 79
        TASSIGN(a_l0, left_address);
        wait_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(slice_event));  // 80
        TEXTRACT(a_l0, a_l1, 0, inner);  // 81
        const int64_t depth = k + inner;  // 82
        const bool first = depth == 0;  // 83
        const bool last = depth == 960;  // 84
        for (int64_t half_ = 0; half_ < 2; ++half_) {  // 86
          const int64_t right_at = half_ * 32768;  // 87
          const int64_t right_address = static_cast<int64_t>(right_at);  // 88
          const int64_t acc_at = half_ * 65536;  // 89
          const int64_t acc_address = static_cast<int64_t>(acc_at);  // 90
          const int64_t half_col = half_ * 128;  // 91
          RightF32_64x128 b_l0;  // 92
          TASSIGN(b_l0, right_address);
          AccF32_128x128 sum;  // 93
          TASSIGN(sum, acc_address);
          wait_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(half_));  // 94
          TEXTRACT(b_l0, b_l1, inner, half_col);  // 95
          set_flag(PIPE_MTE1, PIPE_M, static_cast<event_t>(half_));  // 96
          wait_flag(PIPE_MTE1, PIPE_M, static_cast<event_t>(half_));  // 97
          if (first) {  // 98
            wait_flag(PIPE_FIX, PIPE_M, static_cast<event_t>(half_));  // 99
            TMATMUL(sum, a_l0, b_l0);  // 100
          } else {
            TMATMUL_ACC(sum, sum, a_l0, b_l0);  // 102
          }
          set_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(half_));  // 104
          if (last) {  // 105
            const int64_t out_col = col + half_col;  // 106
            GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<131072, 131072, 131072, 1024, 1>, Layout::ND> out(c + row * 1024 + out_col);  // 107
            set_flag(PIPE_M, PIPE_FIX, static_cast<event_t>(half_));  // 108
            wait_flag(PIPE_M, PIPE_FIX, static_cast<event_t>(half_));  // 109
            TSTORE(out, sum);  // 110
            set_flag(PIPE_FIX, PIPE_M, static_cast<event_t>(half_));  // 111
          }
        }
        set_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(slice_event));  // 114
      }
      set_flag(PIPE_MTE1, PIPE_MTE2, static_cast<event_t>(l1));  // 116
    }
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 120
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 121
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 122
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 123
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // 124
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 125
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 126
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 127
}
