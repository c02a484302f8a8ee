// flash_attention_128.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatBf16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftBf16_128x128 = Tile<TileType::Left, bfloat16_t, 128, 128, BLayout::RowMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatBf16_128x128_zn = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using RightBf16_128x128 = Tile<TileType::Right, bfloat16_t, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_128x128 = Tile<TileType::Acc, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x1_dn = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, 64, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecBf16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, 64, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x8 = Tile<TileType::Vec, float, 64, 8, BLayout::RowMajor, 64, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

static AICORE void cube(__gm__ bfloat16_t *q, __gm__ bfloat16_t *k, __gm__ bfloat16_t *v, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 35
#if defined(__DAV_CUBE__)
  dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);  // 46
  auto pipe = TPipe<0, Direction::DIR_C2V, 65536, 2, 1, false>(s_slots, 0, 0);
  auto pipe_2 = TPipe<2, Direction::DIR_V2C, 32768, 2, 2, false>(p_slots, 0, 0);  // 47
  auto pipe_3 = TPipe<4, Direction::DIR_C2V, 65536, 2, 1, false>(o_slots, 65536, 0);  // 48
  const int64_t block64 = get_block_idx();  // 53
  const int64_t blocks64 = get_block_num();  // 54
  const int64_t block = static_cast<int64_t>(block64);  // 55
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 56
  const int64_t first = block * 128;  // 57
  const int64_t stride = blocks * 128;  // 58
  for (int64_t at = first; at < 1024; at += stride) {  // 59
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<16384, 16384, 16384, 128, 1>, Layout::ND> q_in(q + at * 128);  // 60
    MatBf16_128x128 q_l1;  // 61
    TASSIGN(q_l1, 65536);
    LeftBf16_128x128 q_l0;  // 62
    TASSIGN(q_l0, 0);
    TLOAD(q_l1, q_in);  // 63
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 64
    TMOV(q_l0, q_l1);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 65
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
    for (int64_t j = 0; j < 1024; j += 128) {
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<128, 128, 128, 1, 128>, Layout::DN> k_in(k + j * 128);  // 66
      MatBf16_128x128_zn k_l1;  // 67
      TASSIGN(k_l1, 98304);
      RightBf16_128x128 k_l0;  // 68
      TASSIGN(k_l0, 0);
      AccF32_128x128 s;  // 69
      TASSIGN(s, 0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 70
      TLOAD(k_l1, k_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 71
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      TMOV(k_l0, k_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 72
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      TMATMUL(s, q_l0, k_l0);
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
      wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 73
      TPUSH<TPipe<0, Direction::DIR_C2V, 65536, 2, 1, false>, AccF32_128x128, TileSplitAxis::TILE_UP_DOWN>(pipe, s);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<16384, 16384, 16384, 128, 1>, Layout::ND> v_in(v + j * 128);  // 75
      MatBf16_128x128 v_l1;  // 76
      TASSIGN(v_l1, 131072);
      RightBf16_128x128 v_l0;  // 77
      TASSIGN(v_l0, 32768);
      LeftBf16_128x128 p_l0;  // 78
      TASSIGN(p_l0, 32768);
      AccF32_128x128 pv;  // 79
      TASSIGN(pv, 65536);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 80
      TLOAD(v_l1, v_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 81
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
      TMOV(v_l0, v_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // 82
      MatBf16_128x128 p;
      TPOP<TPipe<2, Direction::DIR_V2C, 32768, 2, 2, false>, MatBf16_128x128, TileSplitAxis::TILE_UP_DOWN>(pipe_2, p);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 83
      TMOV(p_l0, p);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      TFREE<TPipe<2, Direction::DIR_V2C, 32768, 2, 2, false>, TileSplitAxis::TILE_UP_DOWN>(pipe_2);  // 84
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 85
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
      TMATMUL(pv, p_l0, v_l0);
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
      set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
      wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 86
      TPUSH<TPipe<4, Direction::DIR_C2V, 65536, 2, 1, false>, AccF32_128x128, TileSplitAxis::TILE_UP_DOWN>(pipe_3, pv);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 87
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
  }
#endif // __DAV_CUBE__
}

static AICORE void vector(__gm__ float *o, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 92
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);  // 107
  auto pipe = TPipe<0, Direction::DIR_C2V, 65536, 2, 1, false>(s_slots, 0, 0);
  auto pipe_2 = TPipe<2, Direction::DIR_V2C, 32768, 2, 2, false>(p_slots, 0, 0);  // 108
  auto pipe_3 = TPipe<4, Direction::DIR_C2V, 65536, 2, 1, false>(o_slots, 65536, 0);  // 109
  const int64_t block64 = get_block_idx();  // 112
  const int64_t blocks64 = get_block_num();  // 113
  const int64_t half64 = get_subblockid();  // 114
  const int64_t block = static_cast<int64_t>(block64);  // 115
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 116
  const int64_t number = static_cast<int64_t>(half64);  // 117
  const int64_t down = number * 64;  // 118
  const int64_t first = block * 128;  // 119
  const int64_t stride = blocks * 128;  // 120
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 121
  for (int64_t at = first; at < 1024; at += stride) {
    VecF32_64x128 total;  // 122
    TASSIGN(total, 131584);
    VecF32_64x1_dn largest;  // 123
    TASSIGN(largest, 131072);
    VecF32_64x1_dn sum;  // 124
    TASSIGN(sum, 131328);
    VecF32_1x64 largest_row;  // 125
    TRESHAPE(largest_row, largest);
    VecF32_1x64 sum_row;  // 126
    TRESHAPE(sum_row, sum);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 127
    TEXPANDS(total, 0.0f);
    TEXPANDS(largest_row, -3e38f);  // 128
    TEXPANDS(sum_row, 0.0f);  // 129
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 130
    for (int64_t j = 0; j < 1024; j += 128) {
      VecF32_64x64 scratch;  // 131
      TASSIGN(scratch, 164864);
      VecBf16_64x128 p;  // 132
      TASSIGN(p, 164864);
      VecF32_64x1_dn found;  // 133
      TASSIGN(found, 164352);
      VecF32_64x1_dn added;  // 134
      TASSIGN(added, 164608);
      VecF32_1x64 found_row;  // 135
      TRESHAPE(found_row, found);
      VecF32_1x64 added_row;  // 136
      TRESHAPE(added_row, added);
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 138
      VecF32_64x128 s;
      TPOP<TPipe<0, Direction::DIR_C2V, 65536, 2, 1, false>, VecF32_64x128, TileSplitAxis::TILE_UP_DOWN>(pipe, s);
      set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 139
      TMULS(s, s, 0.088388346f);
      pipe_barrier(PIPE_V);  // 140
      TROWMAX(found, s, scratch);
      pipe_barrier(PIPE_V);  // 141
      TMAX(found_row, found_row, largest_row);
      VecF32_64x8 tmp_1;  // 142
      TASSIGN(tmp_1, 181248);
      pipe_barrier(PIPE_V);
      TROWEXPANDEXPDIF(s, s, found, tmp_1);
      pipe_barrier(PIPE_V);  // 143
      TROWSUM(added, s, scratch);
      pipe_barrier(PIPE_V);  // 144
      TCVT(p, s, RoundMode::CAST_RINT);
      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 145
      TPUSH<TPipe<2, Direction::DIR_V2C, 32768, 2, 2, false>, VecBf16_64x128, TileSplitAxis::TILE_UP_DOWN>(pipe_2, p);
      set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
      TFREE<TPipe<0, Direction::DIR_C2V, 65536, 2, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe);  // 146
      TSUB(largest_row, largest_row, found_row);  // 149
      pipe_barrier(PIPE_V);  // 150
      TEXP(largest_row, largest_row);
      pipe_barrier(PIPE_V);  // 151
      TMUL(sum_row, sum_row, largest_row);
      pipe_barrier(PIPE_V);  // 152
      TADD(sum_row, sum_row, added_row);
      VecF32_64x8 tmp_2;  // 153
      TASSIGN(tmp_2, 164608);
      wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
      pipe_barrier(PIPE_V);
      TROWEXPANDMUL(total, total, largest, tmp_2);
      pipe_barrier(PIPE_V);  // 154
      TADDS(largest_row, found_row, 0.0f);
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 156
      VecF32_64x128 pv;
      TPOP<TPipe<4, Direction::DIR_C2V, 65536, 2, 1, false>, VecF32_64x128, TileSplitAxis::TILE_UP_DOWN>(pipe_3, pv);
      set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 157
      TADD(total, total, pv);
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
      TFREE<TPipe<4, Direction::DIR_C2V, 65536, 2, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe_3);  // 158
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 159
    VecF32_64x8 tmp;  // 160
    TASSIGN(tmp, 164352);
    pipe_barrier(PIPE_V);
    TROWEXPANDDIV(total, total, sum, tmp);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    const int64_t row_at = at + down;  // 161
    GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<8192, 8192, 8192, 128, 1>, Layout::ND> to(o + row_at * 128);  // 162
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 163
    TSTORE(to, total);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  }
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 164
#endif // __DAV_VEC__
}

__global__ AICORE void flash_attention(__gm__ bfloat16_t *q, __gm__ bfloat16_t *k, __gm__ bfloat16_t *v, __gm__ float *o, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 29
  cube(q, k, v, s_slots, p_slots, o_slots);  // 30
  vector(o, s_slots, p_slots, o_slots);  // 31
}
