// int8_gemm.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using AccI32_128x128 = Tile<TileType::Acc, int32_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using MatI8_128x128 = Tile<TileType::Mat, int8_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftI8_128x128 = Tile<TileType::Left, int8_t, 128, 128, BLayout::RowMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightI8_128x128 = Tile<TileType::Right, int8_t, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void int8_gemm(__gm__ int8_t *a, __gm__ int8_t *b, int64_t scale, __gm__ half *y) {  // 13
  const int64_t block64 = get_block_idx();  // 23
  const int64_t blocks64 = get_block_num();  // 24
  const int64_t block = static_cast<int64_t>(block64);  // 25
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 26
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 27
  for (int64_t part = block; part < 16; part += blocks) {
    const int64_t part_row = static_cast<int64_t>(static_cast<uint64_t>(part) / static_cast<uint64_t>(4));  // 28
    const int64_t part_col = static_cast<int64_t>(static_cast<uint64_t>(part) % static_cast<uint64_t>(4));  // 29
    const int64_t row = part_row * 128;  // 30
    const int64_t col = part_col * 128;  // 31
    AccI32_128x128 sum;  // 32
    TASSIGN(sum, 0);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 33
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    for (int64_t k = 0; k < 512; k += 128) {
      GlobalTensor<int8_t, Shape<1, 1, 1, 128, 128>, Stride<65536, 65536, 65536, 512, 1>, Layout::ND> a_in(a + row * 512 + k);  // 34
      GlobalTensor<int8_t, Shape<1, 1, 1, 128, 128>, Stride<65536, 65536, 65536, 512, 1>, Layout::ND> b_in(b + k * 512 + col);  // 35
      MatI8_128x128 a_l1;  // 36
      TASSIGN(a_l1, 0);
      MatI8_128x128 b_l1;  // 37
      TASSIGN(b_l1, 16384);
      LeftI8_128x128 a_l0;  // 38
      TASSIGN(a_l0, 0);
      RightI8_128x128 b_l0;  // 39
      TASSIGN(b_l0, 0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 40
      TLOAD(a_l1, a_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 41
      TLOAD(b_l1, b_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 42
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      TMOV(a_l0, a_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1);  // 43
      TMOV(b_l0, b_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      const bool first = k == 0;  // 44
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 45
      if (first) {
        TMATMUL(sum, a_l0, b_l0);  // 46
      } else {
        TMATMUL_ACC(sum, sum, a_l0, b_l0);  // 48
      }
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 49
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 50
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    GlobalTensor<half, Shape<1, 1, 1, 128, 128>, Stride<65536, 65536, 65536, 512, 1>, Layout::ND> to(y + row * 512 + col);  // 51
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 52
    TSTORE<AccI32_128x128, GlobalTensor<half, Shape<1, 1, 1, 128, 128>, Stride<65536, 65536, 65536, 512, 1>, Layout::ND>, AtomicType::AtomicNone, ReluPreMode::NoRelu>(to, sum, static_cast<uint64_t>(scale));
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  }
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 53
}
