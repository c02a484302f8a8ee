// gemm.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using AccF32_128x128 = Tile<TileType::Acc, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using MatF32_128x256 = Tile<TileType::Mat, float, 128, 256, BLayout::ColMajor, 128, 256, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatF32_256x128 = Tile<TileType::Mat, float, 256, 128, BLayout::ColMajor, 256, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftF32_128x64 = Tile<TileType::Left, float, 128, 64, BLayout::ColMajor, 128, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightF32_64x128 = Tile<TileType::Right, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void gemm(__gm__ float *a, __gm__ float *b, __gm__ float *c) {  // 17
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 35
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 36
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 37
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 38
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 39
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 40
  const int64_t block64 = get_block_idx();  // 42
  const int64_t blocks64 = get_block_num();  // 43
  const int64_t block = static_cast<int64_t>(block64);  // 44
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 45
  int64_t turns = 0;  // 46
  for (int64_t part = block; part < 64; part += blocks) {
    const int64_t part_row = static_cast<int64_t>(static_cast<uint64_t>(part) / static_cast<uint64_t>(8));  // 47
    const int64_t part_col = static_cast<int64_t>(static_cast<uint64_t>(part) % static_cast<uint64_t>(8));  // 48
    const int64_t row = part_row * 128;  // 49
    const int64_t col = part_col * 128;  // 50
    const int64_t which = static_cast<int64_t>(static_cast<uint64_t>(turns) % static_cast<uint64_t>(2));  // 51
    const int64_t acc_at = which * 65536;  // 52
    const int64_t acc_address = static_cast<int64_t>(acc_at);  // 53
    AccF32_128x128 sum;  // 54
    TASSIGN(sum, acc_address);
    wait_flag(PIPE_FIX, PIPE_M, static_cast<event_t>(which));  // 55
    for (int64_t k = 0; k < 1024; k += 256) {  // 57
      const int64_t piece = static_cast<int64_t>(static_cast<uint64_t>(k) / static_cast<uint64_t>(256));  // 58
      const int64_t l1 = static_cast<int64_t>(static_cast<uint64_t>(piece) % static_cast<uint64_t>(2));  // 59
      const int64_t a_at = l1 * 131072;  // 60
      const int64_t b_at = a_at + 262144;  // 61
      const int64_t a_address = static_cast<int64_t>(a_at);  // 62
      const int64_t b_address = static_cast<int64_t>(b_at);  // 63
      MatF32_128x256 a_l1;  // 64
      TASSIGN(a_l1, a_address);
      MatF32_256x128 b_l1;  // 65
      TASSIGN(b_l1, b_address);
      GlobalTensor<float, Shape<1, 1, 1, 128, 256>, Stride<131072, 131072, 131072, 1024, 1>, Layout::ND> a_in(a + row * 1024 + k);  // 66
      GlobalTensor<float, Shape<1, 1, 1, 256, 128>, Stride<262144, 262144, 262144, 1024, 1>, Layout::ND> b_in(b + k * 1024 + col);  // 67
      wait_flag(PIPE_MTE1, PIPE_MTE2, static_cast<event_t>(l1));  // 68
      TLOAD(a_l1, a_in);  // 69
      TLOAD(b_l1, b_in);  // 70
      set_flag(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(l1));  // 71
      wait_flag(PIPE_MTE2, PIPE_MTE1, static_cast<event_t>(l1));  // 72
      for (int64_t inner = 0; inner < 256; inner += 64) {  // 74
        const int64_t slice = static_cast<int64_t>(static_cast<uint64_t>(inner) / static_cast<uint64_t>(64));  // 75
        const int64_t l0 = static_cast<int64_t>(static_cast<uint64_t>(slice) % static_cast<uint64_t>(2));  // 76
        const int64_t l0_at = l0 * 32768;  // 77
        const int64_t l0_address = static_cast<int64_t>(l0_at);  // 78
        LeftF32_128x64 a_l0;  // 79
        TASSIGN(a_l0, l0_address);
        RightF32_64x128 b_l0;  // 80
        TASSIGN(b_l0, l0_address);
        wait_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(l0));  // 81
        TEXTRACT(a_l0, a_l1, 0, inner);  // 82
        TEXTRACT(b_l0, b_l1, inner, 0);  // 83
        set_flag(PIPE_MTE1, PIPE_M, static_cast<event_t>(l0));  // 84
        wait_flag(PIPE_MTE1, PIPE_M, static_cast<event_t>(l0));  // 85
        const int64_t depth = k + inner;  // 86
        const bool first = depth == 0;  // 87
        if (first) {  // 88
          TMATMUL(sum, a_l0, b_l0);  // 89
        } else {
          TMATMUL_ACC(sum, sum, a_l0, b_l0);  // 91
        }
        set_flag(PIPE_M, PIPE_MTE1, static_cast<event_t>(l0));  // 93
      }
      set_flag(PIPE_MTE1, PIPE_MTE2, static_cast<event_t>(l1));  // 95
    }
    GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<131072, 131072, 131072, 1024, 1>, Layout::ND> out(c + row * 1024 + col);  // 98
    set_flag(PIPE_M, PIPE_FIX, static_cast<event_t>(which));  // 99
    wait_flag(PIPE_M, PIPE_FIX, static_cast<event_t>(which));  // 100
    TSTORE(out, sum);  // 101
    set_flag(PIPE_FIX, PIPE_M, static_cast<event_t>(which));  // 102
    const int64_t next = turns + 1;  // 103
    turns = next;  // 104
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 107
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 108
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 109
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 110
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 111
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 112
}
