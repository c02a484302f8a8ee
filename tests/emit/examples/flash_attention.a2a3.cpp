// flash_attention.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatBf16_128x64 = Tile<TileType::Mat, bfloat16_t, 128, 64, BLayout::ColMajor, 128, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftBf16_128x64 = Tile<TileType::Left, bfloat16_t, 128, 64, BLayout::RowMajor, 128, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatBf16_64x128_zn = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::RowMajor, 64, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using RightBf16_64x128 = Tile<TileType::Right, bfloat16_t, 64, 128, BLayout::RowMajor, 64, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_128x128 = Tile<TileType::Acc, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using RightBf16_128x64 = Tile<TileType::Right, bfloat16_t, 128, 64, BLayout::RowMajor, 128, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftBf16_128x128 = Tile<TileType::Left, bfloat16_t, 128, 128, BLayout::RowMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_128x64 = Tile<TileType::Acc, float, 128, 64, BLayout::ColMajor, 128, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using MatBf16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, 64, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x1_dn = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecBf16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x8 = Tile<TileType::Vec, float, 64, 8, BLayout::RowMajor, 64, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

static AICORE void cube(__gm__ bfloat16_t *q, __gm__ bfloat16_t *k, __gm__ bfloat16_t *v, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 40
#if defined(__DAV_CUBE__)
  dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);  // 50
  auto pipe = TPipe<0, Direction::DIR_C2V, 65536, 2, 1, false>(s_slots, 0, 0);
  auto pipe_2 = TPipe<2, Direction::DIR_V2C, 32768, 2, 2, false>(p_slots, 0, 0);  // 51
  auto pipe_3 = TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>(o_slots, 65536, 0);  // 52
  const int64_t block64 = get_block_idx();  // 57
  const int64_t blocks64 = get_block_num();  // 58
  const int64_t block = static_cast<int64_t>(block64);  // 59
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 60
  const int64_t first = block * 128;  // 61
  const int64_t stride = blocks * 128;  // 62
  for (int64_t at = first; at < 1024; at += stride) {  // 63
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 64>, Stride<8192, 8192, 8192, 64, 1>, Layout::ND> q_in(q + at * 64);  // 64
    MatBf16_128x64 q_l1;  // 65
    TASSIGN(q_l1, 65536);
    LeftBf16_128x64 q_l0;  // 66
    TASSIGN(q_l0, 0);
    TLOAD(q_l1, q_in);  // 67
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 68
    TMOV(q_l0, q_l1);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 69
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
    for (int64_t j = 0; j < 1024; j += 128) {
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<64, 64, 64, 1, 64>, Layout::DN> k_in(k + j * 64);  // 70
      MatBf16_64x128_zn k_l1;  // 71
      TASSIGN(k_l1, 81920);
      RightBf16_64x128 k_l0;  // 72
      TASSIGN(k_l0, 0);
      AccF32_128x128 s;  // 73
      TASSIGN(s, 0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 74
      TLOAD(k_l1, k_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 75
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      TMOV(k_l0, k_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 76
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      TMATMUL(s, q_l0, k_l0);
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
      wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 77
      TPUSH<TPipe<0, Direction::DIR_C2V, 65536, 2, 1, false>, AccF32_128x128, TileSplitAxis::TILE_UP_DOWN>(pipe, s);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 64>, Stride<8192, 8192, 8192, 64, 1>, Layout::ND> v_in(v + j * 64);  // 79
      MatBf16_128x64 v_l1;  // 80
      TASSIGN(v_l1, 98304);
      RightBf16_128x64 v_l0;  // 81
      TASSIGN(v_l0, 16384);
      LeftBf16_128x128 p_l0;  // 82
      TASSIGN(p_l0, 16384);
      AccF32_128x64 pv;  // 83
      TASSIGN(pv, 65536);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 84
      TLOAD(v_l1, v_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 85
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
      TMOV(v_l0, v_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // 86
      MatBf16_128x128 p;
      TPOP<TPipe<2, Direction::DIR_V2C, 32768, 2, 2, false>, MatBf16_128x128, TileSplitAxis::TILE_UP_DOWN>(pipe_2, p);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 87
      TMOV(p_l0, p);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      TFREE<TPipe<2, Direction::DIR_V2C, 32768, 2, 2, false>, TileSplitAxis::TILE_UP_DOWN>(pipe_2);  // 88
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 89
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
      TMATMUL(pv, p_l0, v_l0);
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
      set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
      wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 90
      TPUSH<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, AccF32_128x64, TileSplitAxis::TILE_UP_DOWN>(pipe_3, pv);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 91
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
  }
#endif // __DAV_CUBE__
}

static AICORE void vector(__gm__ float *o, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 96
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);  // 110
  auto pipe = TPipe<0, Direction::DIR_C2V, 65536, 2, 1, false>(s_slots, 0, 0);
  auto pipe_2 = TPipe<2, Direction::DIR_V2C, 32768, 2, 2, false>(p_slots, 0, 0);  // 111
  auto pipe_3 = TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>(o_slots, 65536, 0);  // 112
  const int64_t block64 = get_block_idx();  // 115
  const int64_t blocks64 = get_block_num();  // 116
  const int64_t half64 = get_subblockid();  // 117
  const int64_t block = static_cast<int64_t>(block64);  // 118
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 119
  const int64_t number = static_cast<int64_t>(half64);  // 120
  const int64_t down = number * 64;  // 121
  const int64_t first = block * 128;  // 122
  const int64_t stride = blocks * 128;  // 123
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 124
  for (int64_t at = first; at < 1024; at += stride) {
    VecF32_64x64 total;  // 125
    TASSIGN(total, 98816);
    VecF32_64x1_dn largest;  // 126
    TASSIGN(largest, 98304);
    VecF32_64x1_dn sum;  // 127
    TASSIGN(sum, 98560);
    VecF32_1x64 largest_row;  // 128
    TRESHAPE(largest_row, largest);
    VecF32_1x64 sum_row;  // 129
    TRESHAPE(sum_row, sum);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 130
    TEXPANDS(total, 0.0f);
    TEXPANDS(largest_row, -3e38f);  // 131
    TEXPANDS(sum_row, 0.0f);  // 132
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 133
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
    for (int64_t j = 0; j < 1024; j += 128) {
      VecF32_64x128 scratch;  // 134
      TASSIGN(scratch, 115712);
      VecBf16_64x128 p;  // 135
      TASSIGN(p, 150528);
      VecF32_64x1_dn found;  // 136
      TASSIGN(found, 115200);
      VecF32_64x1_dn added;  // 137
      TASSIGN(added, 115456);
      VecF32_1x64 found_row;  // 138
      TRESHAPE(found_row, found);
      VecF32_1x64 added_row;  // 139
      TRESHAPE(added_row, added);
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 141
      VecF32_64x128 s;
      TPOP<TPipe<0, Direction::DIR_C2V, 65536, 2, 1, false>, VecF32_64x128, TileSplitAxis::TILE_UP_DOWN>(pipe, s);
      set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 142
      TMULS(s, s, 0.125f);
      pipe_barrier(PIPE_V);  // 143
      TROWMAX(found, s, scratch);
      pipe_barrier(PIPE_V);  // 144
      TMAX(found_row, found_row, largest_row);
      VecF32_64x8 tmp_1;  // 145
      TASSIGN(tmp_1, 148480);
      pipe_barrier(PIPE_V);
      TROWEXPANDEXPDIF(s, s, found, tmp_1);
      wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 146
      pipe_barrier(PIPE_V);
      TCVT(p, s, RoundMode::CAST_RINT);
      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 147
      TPUSH<TPipe<2, Direction::DIR_V2C, 32768, 2, 2, false>, VecBf16_64x128, TileSplitAxis::TILE_UP_DOWN>(pipe_2, p);
      set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
      TROWSUM(added, s, scratch);  // 148
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
      TFREE<TPipe<0, Direction::DIR_C2V, 65536, 2, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe);  // 149
      TSUB(largest_row, largest_row, found_row);  // 152
      pipe_barrier(PIPE_V);  // 153
      TEXP(largest_row, largest_row);
      pipe_barrier(PIPE_V);  // 154
      TMUL(sum_row, sum_row, largest_row);
      pipe_barrier(PIPE_V);  // 155
      TADD(sum_row, sum_row, added_row);
      VecF32_64x8 tmp_2;  // 156
      TASSIGN(tmp_2, 166912);
      TROWEXPANDMUL(total, total, largest, tmp_2);
      pipe_barrier(PIPE_V);  // 157
      TADDS(largest_row, found_row, 0.0f);
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 159
      VecF32_64x64 pv;
      TPOP<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, VecF32_64x64, TileSplitAxis::TILE_UP_DOWN>(pipe_3, pv);
      set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 160
      TADD(total, total, pv);
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
      TFREE<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe_3);  // 161
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 162
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
    VecF32_64x8 tmp;  // 163
    TASSIGN(tmp, 168960);
    pipe_barrier(PIPE_V);
    TROWEXPANDDIV(total, total, sum, tmp);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    const int64_t row_at = at + down;  // 164
    GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>, Layout::ND> to(o + row_at * 64);  // 165
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 166
    TSTORE(to, total);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  }
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 167
#endif // __DAV_VEC__
}

__global__ AICORE void flash_attention(__gm__ bfloat16_t *q, __gm__ bfloat16_t *k, __gm__ bfloat16_t *v, __gm__ float *o, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 34
  cube(q, k, v, s_slots, p_slots, o_slots);  // 35
  vector(o, s_slots, p_slots, o_slots);  // 36
}
