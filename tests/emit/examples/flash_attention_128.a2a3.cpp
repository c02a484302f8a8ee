// flash_attention_128.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using MatF16_64x128 = Tile<TileType::Mat, half, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftF16_64x128 = Tile<TileType::Left, half, 64, 128, BLayout::RowMajor, 64, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatF16_128x128_zn = Tile<TileType::Mat, half, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using RightF16_128x128 = Tile<TileType::Right, half, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_64x128 = Tile<TileType::Acc, float, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using MatF16_128x128 = Tile<TileType::Mat, half, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_32x1_dn = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, 32, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF16_32x128 = Tile<TileType::Vec, half, 32, 128, BLayout::RowMajor, 32, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

static AICORE void cube(__gm__ half *q, __gm__ half *k, __gm__ half *v, __gm__ float *s_slots, __gm__ half *p_slots, __gm__ float *o_slots) {  // 38
#if defined(__DAV_CUBE__)
  auto pipe = TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>(s_slots, 0, 0);  // 49
  auto pipe_2 = TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>(p_slots, 0, 0);  // 50
  auto pipe_3 = TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>(o_slots, 32768, 0);  // 51
  const int64_t block64 = get_block_idx();  // 56
  const int64_t blocks64 = get_block_num();  // 57
  const int64_t block = static_cast<int64_t>(block64);  // 58
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 59
  const int64_t first = block * 64;  // 60
  const int64_t stride = blocks * 64;  // 61
  for (int64_t at = first; at < 1024; at += stride) {  // 62
    GlobalTensor<half, Shape<1, 1, 1, 64, 128>, Stride<8192, 8192, 8192, 128, 1>, Layout::ND> q_in(q + at * 128);  // 63
    MatF16_64x128 q_l1;  // 64
    TASSIGN(q_l1, 32768);
    LeftF16_64x128 q_l0;  // 65
    TASSIGN(q_l0, 0);
    TLOAD(q_l1, q_in);  // 66
    TMOV(q_l0, q_l1);  // 67
    for (int64_t j = 0; j < 1024; j += 128) {  // 68
      GlobalTensor<half, Shape<1, 1, 1, 128, 128>, Stride<128, 128, 128, 1, 128>, Layout::DN> k_in(k + j * 128);  // 69
      MatF16_128x128_zn k_l1;  // 70
      TASSIGN(k_l1, 49152);
      RightF16_128x128 k_l0;  // 71
      TASSIGN(k_l0, 0);
      AccF32_64x128 s;  // 72
      TASSIGN(s, 0);
      TLOAD(k_l1, k_in);  // 73
      TMOV(k_l0, k_l1);  // 74
      TMATMUL(s, q_l0, k_l0);  // 75
      TPUSH<TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>, AccF32_64x128, TileSplitAxis::TILE_UP_DOWN>(pipe, s);  // 76
      GlobalTensor<half, Shape<1, 1, 1, 128, 128>, Stride<16384, 16384, 16384, 128, 1>, Layout::ND> v_in(v + j * 128);  // 78
      MatF16_128x128 v_l1;  // 79
      TASSIGN(v_l1, 81920);
      RightF16_128x128 v_l0;  // 80
      TASSIGN(v_l0, 32768);
      LeftF16_64x128 p_l0;  // 81
      TASSIGN(p_l0, 16384);
      AccF32_64x128 pv;  // 82
      TASSIGN(pv, 32768);
      TLOAD(v_l1, v_in);  // 83
      TMOV(v_l0, v_l1);  // 84
      MatF16_64x128 p;  // 85
      TPOP<TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>, MatF16_64x128, TileSplitAxis::TILE_UP_DOWN>(pipe_2, p);
      TMOV(p_l0, p);  // 86
      TFREE<TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>, TileSplitAxis::TILE_UP_DOWN>(pipe_2);  // 87
      TMATMUL(pv, p_l0, v_l0);  // 88
      TPUSH<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, AccF32_64x128, TileSplitAxis::TILE_UP_DOWN>(pipe_3, pv);  // 89
    }
  }
#endif // __DAV_CUBE__
}

static AICORE void vector(__gm__ float *o, __gm__ float *s_slots, __gm__ half *p_slots, __gm__ float *o_slots) {  // 95
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto pipe = TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>(s_slots, 0, 0);  // 110
  auto pipe_2 = TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>(p_slots, 0, 0);  // 111
  auto pipe_3 = TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>(o_slots, 32768, 0);  // 112
  const int64_t block64 = get_block_idx();  // 115
  const int64_t blocks64 = get_block_num();  // 116
  const int64_t half64 = get_subblockid();  // 117
  const int64_t block = static_cast<int64_t>(block64);  // 118
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 119
  const int64_t number = static_cast<int64_t>(half64);  // 120
  const int64_t down = number * 32;  // 121
  const int64_t first = block * 64;  // 122
  const int64_t stride = blocks * 64;  // 123
  for (int64_t at = first; at < 1024; at += stride) {  // 124
    VecF32_32x128 total;  // 125
    TASSIGN(total, 65792);
    VecF32_32x1_dn largest;  // 126
    TASSIGN(largest, 65536);
    VecF32_32x1_dn sum;  // 127
    TASSIGN(sum, 65664);
    VecF32_1x32 largest_row;  // 128
    TRESHAPE(largest_row, largest);
    VecF32_1x32 sum_row;  // 129
    TRESHAPE(sum_row, sum);
    TEXPANDS(total, 0.0f);  // 130
    TEXPANDS(largest_row, -3e38f);  // 131
    TEXPANDS(sum_row, 0.0f);  // 132
    for (int64_t j = 0; j < 1024; j += 128) {  // 133
      VecF32_32x128 scratch;  // 134
      TASSIGN(scratch, 82432);
      VecF16_32x128 p;  // 135
      TASSIGN(p, 98816);
      VecF32_32x1_dn found;  // 136
      TASSIGN(found, 82176);
      VecF32_32x1_dn added;  // 137
      TASSIGN(added, 82304);
      VecF32_1x32 found_row;  // 138
      TRESHAPE(found_row, found);
      VecF32_1x32 added_row;  // 139
      TRESHAPE(added_row, added);
      VecF32_32x128 s;  // 141
      TPOP<TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>, VecF32_32x128, TileSplitAxis::TILE_UP_DOWN>(pipe, s);
      TMULS(s, s, 0.088388346f);  // 142
      TROWMAX(found, s, scratch);  // 143
      TMAX(found_row, found_row, largest_row);  // 144
      TROWEXPANDEXPDIF(s, s, found);  // 145
      TCVT(p, s, RoundMode::CAST_RINT);  // 146
      TPUSH<TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>, VecF16_32x128, TileSplitAxis::TILE_UP_DOWN>(pipe_2, p);  // 147
      TROWSUM(added, s, scratch);  // 148
      TFREE<TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe);  // 149
      TSUB(largest_row, largest_row, found_row);  // 152
      TEXP(largest_row, largest_row);  // 153
      TMUL(sum_row, sum_row, largest_row);  // 154
      TADD(sum_row, sum_row, added_row);  // 155
      TROWEXPANDMUL(total, total, largest);  // 156
      TADDS(largest_row, found_row, 0.0f);  // 157
      VecF32_32x128 pv;  // 159
      TPOP<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, VecF32_32x128, TileSplitAxis::TILE_UP_DOWN>(pipe_3, pv);
      TADD(total, total, pv);  // 160
      TFREE<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe_3);  // 161
    }
    TROWEXPANDDIV(total, total, sum);  // 163
    const int64_t row_at = at + down;  // 164
    GlobalTensor<float, Shape<1, 1, 1, 32, 128>, Stride<4096, 4096, 4096, 128, 1>, Layout::ND> to(o + row_at * 128);  // 165
    TSTORE(to, total);  // 166
  }
#endif // __DAV_VEC__
}

__global__ AICORE void flash_attention(__gm__ half *q, __gm__ half *k, __gm__ half *v, __gm__ float *o, __gm__ float *s_slots, __gm__ half *p_slots, __gm__ float *o_slots) {  // 32
  cube(q, k, v, s_slots, p_slots, o_slots);  // 33
  vector(o, s_slots, p_slots, o_slots);  // 34
}
