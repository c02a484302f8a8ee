// decoder_layer.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using AccF32_128x128 = Tile<TileType::Acc, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using MatBf16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftBf16_128x128 = Tile<TileType::Left, bfloat16_t, 128, 128, BLayout::RowMajor, 128, 128, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using RightBf16_128x128 = Tile<TileType::Right, bfloat16_t, 128, 128, BLayout::RowMajor, 128, 128, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using MatBf16_128x64 = Tile<TileType::Mat, bfloat16_t, 128, 64, BLayout::ColMajor, 128, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using LeftBf16_128x64 = Tile<TileType::Left, bfloat16_t, 128, 64, BLayout::RowMajor, 128, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using MatBf16_64x64_zn = Tile<TileType::Mat, bfloat16_t, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using RightBf16_64x64 = Tile<TileType::Right, bfloat16_t, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor, 512, PadValue::Null, CompactMode::Null>;
using AccF32_128x64 = Tile<TileType::Acc, float, 128, 64, BLayout::ColMajor, 128, 64, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using MatBf16_64x64 = Tile<TileType::Mat, bfloat16_t, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512, PadValue::Null, CompactMode::Null>;
using VecF32_16x256 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, 16, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecBf16_16x256 = Tile<TileType::Vec, bfloat16_t, 16, 256, BLayout::RowMajor, 16, 256, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_16x1_dn = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_16x8 = Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 16, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x32 = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, 64, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecBf16_64x32 = Tile<TileType::Vec, bfloat16_t, 64, 32, BLayout::RowMajor, 64, 32, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_16x512 = Tile<TileType::Vec, float, 16, 512, BLayout::RowMajor, 16, 512, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecBf16_16x512 = Tile<TileType::Vec, bfloat16_t, 16, 512, BLayout::RowMajor, 16, 512, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, 64, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x1_dn = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecBf16_64x64 = Tile<TileType::Vec, bfloat16_t, 64, 64, BLayout::RowMajor, 64, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_64x8 = Tile<TileType::Vec, float, 64, 8, BLayout::RowMajor, 64, 8, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

static AICORE void project(__gm__ bfloat16_t *x, __gm__ bfloat16_t *w, __gm__ float *y, int64_t first, int64_t depth, int64_t width) {  // 161
#if defined(__DAV_CUBE__)
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 169
  for (int64_t column = 0; column < width; column += 128) {
    AccF32_128x128 sum;  // 170
    TASSIGN(sum, 0);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 171
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    for (int64_t k = 0; k < depth; k += 128) {
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<-1, -1, -1, -1, 1>, Layout::ND> x_in(x + first * depth + k, Shape<1, 1, 1, 128, 128>(), Stride<-1, -1, -1, -1, 1>(128 * depth, 128 * depth, 128 * depth, depth));  // 172
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<-1, -1, -1, -1, 1>, Layout::ND> w_in(w + k * width + column, Shape<1, 1, 1, 128, 128>(), Stride<-1, -1, -1, -1, 1>(128 * width, 128 * width, 128 * width, width));  // 173
      MatBf16_128x128 x_l1;  // 174
      TASSIGN(x_l1, 32768);
      MatBf16_128x128 w_l1;  // 175
      TASSIGN(w_l1, 65536);
      LeftBf16_128x128 x_l0;  // 176
      TASSIGN(x_l0, 0);
      RightBf16_128x128 w_l0;  // 177
      TASSIGN(w_l0, 0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 178
      TLOAD(x_l1, x_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 179
      TLOAD(w_l1, w_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 180
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      TMOV(x_l0, x_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1);  // 181
      TMOV(w_l0, w_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      const bool start = k == 0;  // 182
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 183
      if (start) {
        TMATMUL(sum, x_l0, w_l0);  // 184
      } else {
        TMATMUL_ACC(sum, sum, x_l0, w_l0);  // 186
      }
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 187
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 188
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<-1, -1, -1, -1, 1>, Layout::ND> to(y + first * width + column, Shape<1, 1, 1, 128, 128>(), Stride<-1, -1, -1, -1, 1>(128 * width, 128 * width, 128 * width, width));  // 189
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 190
    TSTORE(to, sum);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  }
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 191
#endif // __DAV_CUBE__
}

static AICORE void cube(__gm__ bfloat16_t *wq, __gm__ bfloat16_t *wk, __gm__ bfloat16_t *wv, __gm__ bfloat16_t *wo, __gm__ bfloat16_t *w_gate, __gm__ bfloat16_t *w_up, __gm__ bfloat16_t *w_down, __gm__ bfloat16_t *work16, __gm__ float *work32, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 57
#if defined(__DAV_CUBE__)
  dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);  // 62
  auto pipe = TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>(s_slots, 0, 0);
  auto pipe_2 = TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>(p_slots, 0, 0);  // 63
  auto pipe_3 = TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>(o_slots, 32768, 0);  // 64
  __gm__ bfloat16_t *q16 = work16 + 65536;  // 80
  __gm__ bfloat16_t *k16 = work16 + 131072;  // 81
  __gm__ bfloat16_t *v16 = work16 + 196608;  // 82
  __gm__ bfloat16_t *mixed = work16 + 262144;  // 83
  __gm__ bfloat16_t *normed = work16 + 327680;  // 84
  __gm__ bfloat16_t *gated = work16 + 393216;  // 85
  __gm__ float *k32 = work32 + 65536;  // 88
  __gm__ float *v32 = work32 + 131072;  // 89
  __gm__ float *out = work32 + 196608;  // 90
  __gm__ float *down = work32 + 327680;  // 91
  __gm__ float *gate = work32 + 393216;  // 92
  __gm__ float *up = work32 + 524288;  // 93
  const int64_t block64 = get_block_idx();  // 99
  const int64_t blocks64 = get_block_num();  // 100
  const int64_t block = static_cast<int64_t>(block64);  // 101
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 102
  const int64_t begin = block * 128;  // 103
  const int64_t stride = blocks * 128;  // 104
  for (int64_t first = begin; first < 256; first += stride) {  // 105
    wait_flag_dev(8);  // 106
    pipe_barrier(PIPE_ALL);  // 107
    project(work16, wq, work32, first, 256, 256);
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_ALL);  // 108
    project(work16, wk, k32, first, 256, 256);
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_ALL);  // 109
    project(work16, wv, v32, first, 256, 256);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(FFTS_MODE_VAL, 9));  // 110
    wait_flag_dev(8);  // 111
    for (int64_t head = 0; head < 256; head += 64) {  // 114
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 64>, Stride<32768, 32768, 32768, 256, 1>, Layout::ND> q_in(q16 + first * 256 + head);  // 115
      MatBf16_128x64 q_l1;  // 116
      TASSIGN(q_l1, 98304);
      LeftBf16_128x64 q_l0;  // 117
      TASSIGN(q_l0, 32768);
      TLOAD(q_l1, q_in);  // 118
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 119
      TMOV(q_l0, q_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 120
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
      for (int64_t j = 0; j < 128; j += 64) {
        const int64_t key_ = first + j;  // 121
        GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 64>, Stride<64, 64, 64, 1, 256>, Layout::DN> k_in(k16 + head + key_ * 256);  // 122
        MatBf16_64x64_zn k_l1;  // 123
        TASSIGN(k_l1, 114688);
        RightBf16_64x64 k_l0;  // 124
        TASSIGN(k_l0, 32768);
        AccF32_128x64 s;  // 125
        TASSIGN(s, 65536);
        wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 126
        TLOAD(k_l1, k_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 127
        wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
        TMOV(k_l0, k_l1);
        set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 128
        wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
        TMATMUL(s, q_l0, k_l0);
        set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
        set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 129
        TPUSH<TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>, AccF32_128x64, TileSplitAxis::TILE_UP_DOWN>(pipe, s);
        set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
        GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 64>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> v_in(v16 + key_ * 256 + head);  // 131
        MatBf16_64x64 v_l1;  // 132
        TASSIGN(v_l1, 122880);
        RightBf16_64x64 v_l0;  // 133
        TASSIGN(v_l0, 40960);
        LeftBf16_128x64 p_l0;  // 134
        TASSIGN(p_l0, 49152);
        AccF32_128x64 pv;  // 135
        TASSIGN(pv, 98304);
        wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 136
        TLOAD(v_l1, v_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 137
        wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
        TMOV(v_l0, v_l1);
        set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
        wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // 138
        MatBf16_128x64 p;
        TPOP<TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>, MatBf16_128x64, TileSplitAxis::TILE_UP_DOWN>(pipe_2, p);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 139
        TMOV(p_l0, p);
        set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        TFREE<TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>, TileSplitAxis::TILE_UP_DOWN>(pipe_2);  // 140
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 141
        wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
        TMATMUL(pv, p_l0, v_l0);
        set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
        set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 142
        TPUSH<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, AccF32_128x64, TileSplitAxis::TILE_UP_DOWN>(pipe_3, pv);
        set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
      }
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 143
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
    }
    wait_flag_dev(8);  // 146
    pipe_barrier(PIPE_ALL);  // 147
    project(mixed, wo, out, first, 256, 256);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(FFTS_MODE_VAL, 9));  // 148
    wait_flag_dev(8);  // 149
    pipe_barrier(PIPE_ALL);  // 150
    project(normed, w_gate, gate, first, 256, 512);
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_ALL);  // 151
    project(normed, w_up, up, first, 256, 512);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(FFTS_MODE_VAL, 9));  // 152
    wait_flag_dev(8);  // 153
    pipe_barrier(PIPE_ALL);  // 154
    project(gated, w_down, down, first, 512, 256);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(FFTS_MODE_VAL, 9));  // 155
  }
#endif // __DAV_CUBE__
}

static AICORE void normalize(VecF32_16x256 &t, VecF32_1x256 &weight, VecBf16_16x256 &result) {  // 328
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  VecF32_16x256 squares;  // 331
  TASSIGN(squares, 91200);
  VecF32_16x256 scratch;  // 332
  TASSIGN(scratch, 107584);
  VecF32_16x1_dn mean;  // 333
  TASSIGN(mean, 91136);
  VecF32_1x16 means;  // 334
  TRESHAPE(means, mean);
  TMUL(squares, t, t);  // 335
  pipe_barrier(PIPE_V);  // 336
  TROWSUM(mean, squares, scratch);
  pipe_barrier(PIPE_V);  // 337
  TMULS(means, means, 0.00390625f);
  pipe_barrier(PIPE_V);  // 338
  TADDS(means, means, 1e-5f);
  pipe_barrier(PIPE_V);  // 339
  TRSQRT(means, means);
  VecF32_16x8 tmp_3;  // 340
  TASSIGN(tmp_3, 123968);
  pipe_barrier(PIPE_V);
  TROWEXPANDMUL(squares, t, mean, tmp_3);
  pipe_barrier(PIPE_V);  // 341
  TCOLEXPANDMUL(squares, squares, weight);
  pipe_barrier(PIPE_V);  // 342
  TCVT(result, squares, RoundMode::CAST_RINT);
#endif // __DAV_VEC__
}

static AICORE void input_norm(__gm__ float *x, __gm__ float *w, __gm__ bfloat16_t *y, int64_t first) {  // 346
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<256, 256, 256, 256, 1>, Layout::ND> ws(w);  // 353
  VecF32_1x256 weight;  // 355
  TASSIGN(weight, 65536);
  TLOAD(weight, ws);  // 356
  const int64_t end = first + 64;  // 357
  for (int64_t at = first; at < end; at += 16) {  // 358
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> in(x + at * 256);  // 359
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> to(y + at * 256);  // 360
    VecF32_16x256 t;  // 361
    TASSIGN(t, 66560);
    VecBf16_16x256 normed;  // 362
    TASSIGN(normed, 82944);
    TLOAD(t, in);  // 363
    pipe_barrier(PIPE_ALL);  // 364
    normalize(t, weight, normed);
    pipe_barrier(PIPE_ALL);
    TSTORE(to, normed);  // 365
  }
#endif // __DAV_VEC__
}

static AICORE void rotate(__gm__ float *x, __gm__ float *cosines, __gm__ float *sines, float scale, __gm__ bfloat16_t *y, int64_t first, int64_t position) {  // 371
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 32, 1>, Layout::ND> c_in(cosines + position * 32);  // 382
  GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 32, 1>, Layout::ND> s_in(sines + position * 32);  // 383
  VecF32_64x32 cosine;  // 384
  TASSIGN(cosine, 65536);
  VecF32_64x32 sine;  // 385
  TASSIGN(sine, 73728);
  TLOAD(cosine, c_in);  // 386
  TLOAD(sine, s_in);  // 387
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 388
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
  for (int64_t head = 0; head < 256; head += 64) {
    const int64_t middle = head + 32;  // 389
    GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> a_in(x + first * 256 + head);  // 390
    GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> b_in(x + first * 256 + middle);  // 391
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 32>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> a_to(y + first * 256 + head);  // 392
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 32>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> b_to(y + first * 256 + middle);  // 393
    VecF32_64x32 a;  // 394
    TASSIGN(a, 81920);
    VecF32_64x32 b;  // 395
    TASSIGN(b, 124480);
    VecF32_64x32 turned;  // 396
    TASSIGN(turned, 132672);
    VecF32_64x32 other;  // 397
    TASSIGN(other, 140864);
    VecBf16_64x32 a16;  // 398
    TASSIGN(a16, 149056);
    VecBf16_64x32 b16;  // 399
    TASSIGN(b16, 153152);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 400
    TLOAD(a, a_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TLOAD(b, b_in);  // 401
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 402
    TMULS(a, a, scale);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);  // 403
    TMULS(b, b, scale);
    pipe_barrier(PIPE_V);  // 405
    TMUL(turned, a, cosine);
    TMUL(other, b, sine);  // 406
    pipe_barrier(PIPE_V);  // 407
    TSUB(turned, turned, other);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 408
    pipe_barrier(PIPE_V);
    TCVT(a16, turned, RoundMode::CAST_RINT);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    pipe_barrier(PIPE_V);  // 409
    TMUL(turned, b, cosine);
    TMUL(other, a, sine);  // 410
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    pipe_barrier(PIPE_V);  // 411
    TADD(turned, turned, other);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 412
    pipe_barrier(PIPE_V);
    TCVT(b16, turned, RoundMode::CAST_RINT);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 413
    pipe_barrier(PIPE_MTE3);
    TSTORE(a_to, a16);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);  // 414
    pipe_barrier(PIPE_MTE3);
    TSTORE(b_to, b16);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 415
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
#endif // __DAV_VEC__
}

static AICORE void narrow(__gm__ float *x, __gm__ bfloat16_t *y, int64_t first) {  // 419
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  const int64_t end = first + 64;  // 427
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 428
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  for (int64_t at = first; at < end; at += 16) {
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> in(x + at * 256);  // 429
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> to(y + at * 256);  // 430
    VecF32_16x256 t;  // 431
    TASSIGN(t, 65536);
    VecBf16_16x256 narrow;  // 432
    TASSIGN(narrow, 81920);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 433
    TLOAD(t, in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 434
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    TCVT(narrow, t, RoundMode::CAST_RINT);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 435
    TSTORE(to, narrow);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 436
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
#endif // __DAV_VEC__
}

static AICORE void residual_norm(__gm__ float *x, __gm__ float *added, __gm__ float *w, __gm__ float *sum, __gm__ bfloat16_t *y, int64_t first) {  // 441
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<256, 256, 256, 256, 1>, Layout::ND> ws(w);  // 449
  VecF32_1x256 weight;  // 452
  TASSIGN(weight, 65536);
  TLOAD(weight, ws);  // 453
  const int64_t end = first + 64;  // 454
  for (int64_t at = first; at < end; at += 16) {  // 455
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> x_in(x + at * 256);  // 456
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> a_in(added + at * 256);  // 457
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> sum_to(sum + at * 256);  // 458
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> to(y + at * 256);  // 459
    VecF32_16x256 t;  // 460
    TASSIGN(t, 66560);
    VecF32_16x256 a;  // 461
    TASSIGN(a, 124480);
    VecBf16_16x256 normed;  // 462
    TASSIGN(normed, 82944);
    TLOAD(t, x_in);  // 463
    TLOAD(a, a_in);  // 464
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 465
    TADD(t, t, a);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 466
    TSTORE(sum_to, t);
    pipe_barrier(PIPE_ALL);  // 467
    normalize(t, weight, normed);
    pipe_barrier(PIPE_ALL);
    TSTORE(to, normed);  // 468
  }
#endif // __DAV_VEC__
}

static AICORE void swiglu(__gm__ float *gate, __gm__ float *up, __gm__ bfloat16_t *y, int64_t first) {  // 474
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  const int64_t end = first + 64;  // 486
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 487
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  for (int64_t at = first; at < end; at += 16) {
    GlobalTensor<float, Shape<1, 1, 1, 16, 512>, Stride<8192, 8192, 8192, 512, 1>, Layout::ND> g_in(gate + at * 512);  // 488
    GlobalTensor<float, Shape<1, 1, 1, 16, 512>, Stride<8192, 8192, 8192, 512, 1>, Layout::ND> u_in(up + at * 512);  // 489
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 512>, Stride<8192, 8192, 8192, 512, 1>, Layout::ND> to(y + at * 512);  // 490
    VecF32_16x512 g;  // 491
    TASSIGN(g, 65536);
    VecF32_16x512 u;  // 492
    TASSIGN(u, 98304);
    VecF32_16x512 below;  // 493
    TASSIGN(below, 131072);
    VecBf16_16x512 result;  // 494
    TASSIGN(result, 98304);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 495
    TLOAD(g, g_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 496
    TLOAD(u, u_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 497
    TMULS(below, g, -1.0f);
    pipe_barrier(PIPE_V);  // 498
    TEXP(below, below);
    pipe_barrier(PIPE_V);  // 499
    TADDS(below, below, 1.0f);
    pipe_barrier(PIPE_V);  // 500
    TDIV(g, g, below);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);  // 501
    pipe_barrier(PIPE_V);
    TMUL(g, g, u);
    pipe_barrier(PIPE_V);  // 502
    TCVT(result, g, RoundMode::CAST_RINT);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 503
    TSTORE(to, result);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 504
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
#endif // __DAV_VEC__
}

static AICORE void add(__gm__ float *a, __gm__ float *b, __gm__ float *y, int64_t first) {  // 508
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  const int64_t end = first + 64;  // 517
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 518
  for (int64_t at = first; at < end; at += 16) {
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> a_in(a + at * 256);  // 519
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> b_in(b + at * 256);  // 520
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> to(y + at * 256);  // 521
    VecF32_16x256 s;  // 522
    TASSIGN(s, 65536);
    VecF32_16x256 t;  // 523
    TASSIGN(t, 81920);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 524
    TLOAD(s, a_in);
    TLOAD(t, b_in);  // 525
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 526
    TADD(s, s, t);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 527
    TSTORE(to, s);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  }
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 528
#endif // __DAV_VEC__
}

static AICORE void vector(__gm__ float *x, __gm__ float *norm1, __gm__ float *cosines, __gm__ float *sines, __gm__ float *norm2, __gm__ float *y, __gm__ bfloat16_t *work16, __gm__ float *work32, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 195
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);  // 200
  auto pipe = TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>(s_slots, 0, 0);
  auto pipe_2 = TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>(p_slots, 0, 0);  // 201
  auto pipe_3 = TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>(o_slots, 32768, 0);  // 202
  __gm__ bfloat16_t *q16 = work16 + 65536;  // 222
  __gm__ bfloat16_t *k16 = work16 + 131072;  // 223
  __gm__ bfloat16_t *v16 = work16 + 196608;  // 224
  __gm__ bfloat16_t *mixed = work16 + 262144;  // 225
  __gm__ bfloat16_t *normed = work16 + 327680;  // 226
  __gm__ bfloat16_t *gated = work16 + 393216;  // 227
  __gm__ float *k32 = work32 + 65536;  // 228
  __gm__ float *v32 = work32 + 131072;  // 229
  __gm__ float *out = work32 + 196608;  // 230
  __gm__ float *residual = work32 + 262144;  // 231
  __gm__ float *down = work32 + 327680;  // 232
  __gm__ float *gate = work32 + 393216;  // 233
  __gm__ float *up = work32 + 524288;  // 234
  const int64_t block64 = get_block_idx();  // 239
  const int64_t blocks64 = get_block_num();  // 240
  const int64_t number64 = get_subblockid();  // 241
  const int64_t block = static_cast<int64_t>(block64);  // 242
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 243
  const int64_t number = static_cast<int64_t>(number64);  // 244
  const int64_t position = number * 64;  // 246
  const int64_t begin = block * 128;  // 247
  const int64_t stride = blocks * 128;  // 248
  for (int64_t sequence = begin; sequence < 256; sequence += stride) {  // 249
    const int64_t first = sequence + position;  // 250
    pipe_barrier(PIPE_ALL);  // 251
    input_norm(x, norm1, work16, first);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 8));  // 252
    wait_flag_dev(9);  // 253
    pipe_barrier(PIPE_ALL);  // 254
    rotate(work32, cosines, sines, 0.125f, q16, first, position);
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_ALL);  // 255
    rotate(k32, cosines, sines, 1.0f, k16, first, position);
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_ALL);  // 256
    narrow(v32, v16, first);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 8));  // 257
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 260
    for (int64_t head = 0; head < 256; head += 64) {
      VecF32_64x64 total;  // 261
      TASSIGN(total, 66048);
      VecF32_64x1_dn largest;  // 262
      TASSIGN(largest, 65536);
      VecF32_64x1_dn sum;  // 263
      TASSIGN(sum, 65792);
      VecF32_1x64 largest_row;  // 264
      TRESHAPE(largest_row, largest);
      VecF32_1x64 sum_row;  // 265
      TRESHAPE(sum_row, sum);
      pipe_barrier(PIPE_V);  // 266
      TEXPANDS(total, 0.0f);
      TEXPANDS(largest_row, -3e38f);  // 267
      TEXPANDS(sum_row, 0.0f);  // 268
      wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 269
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
      for (int64_t j = 0; j < 128; j += 64) {
        VecF32_64x64 mask;  // 270
        TASSIGN(mask, 124480);
        VecF32_64x64 scratch;  // 271
        TASSIGN(scratch, 124480);
        VecBf16_64x64 p;  // 272
        TASSIGN(p, 82944);
        VecF32_64x1_dn found;  // 273
        TASSIGN(found, 82432);
        VecF32_64x1_dn added;  // 274
        TASSIGN(added, 82688);
        VecF32_1x64 found_row;  // 275
        TRESHAPE(found_row, found);
        VecF32_1x64 added_row;  // 276
        TRESHAPE(added_row, added);
        const int64_t ahead = position - j;  // 279
        const int32_t diagonal = static_cast<int32_t>(ahead);  // 280
        TTRI<VecF32_64x64, 0>(mask, diagonal);  // 281
        pipe_barrier(PIPE_V);  // 282
        TMULS(mask, mask, 30000.0f);
        pipe_barrier(PIPE_V);  // 283
        TADDS(mask, mask, -30000.0f);
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 285
        VecF32_64x64 s;
        TPOP<TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>, VecF32_64x64, TileSplitAxis::TILE_UP_DOWN>(pipe, s);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 286
        pipe_barrier(PIPE_V);
        TADD(s, s, mask);
        pipe_barrier(PIPE_V);  // 287
        TROWMAX(found, s, scratch);
        pipe_barrier(PIPE_V);  // 288
        TMAX(found_row, found_row, largest_row);
        VecF32_64x8 tmp_1;  // 289
        TASSIGN(tmp_1, 82944);
        pipe_barrier(PIPE_V);
        TROWEXPANDEXPDIF(s, s, found, tmp_1);
        pipe_barrier(PIPE_V);  // 290
        TCVT(p, s, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 291
        TPUSH<TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>, VecBf16_64x64, TileSplitAxis::TILE_UP_DOWN>(pipe_2, p);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        TROWSUM(added, s, scratch);  // 292
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        TFREE<TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe);  // 293
        TSUB(largest_row, largest_row, found_row);  // 296
        pipe_barrier(PIPE_V);  // 297
        TEXP(largest_row, largest_row);
        pipe_barrier(PIPE_V);  // 298
        TMUL(sum_row, sum_row, largest_row);
        pipe_barrier(PIPE_V);  // 299
        TADD(sum_row, sum_row, added_row);
        VecF32_64x8 tmp_2;  // 300
        TASSIGN(tmp_2, 82688);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(total, total, largest, tmp_2);
        pipe_barrier(PIPE_V);  // 301
        TADDS(largest_row, found_row, 0.0f);
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 303
        VecF32_64x64 pv;
        TPOP<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, VecF32_64x64, TileSplitAxis::TILE_UP_DOWN>(pipe_3, pv);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 304
        TADD(total, total, pv);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        TFREE<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe_3);  // 305
      }
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 306
      VecBf16_64x64 result;  // 307
      TASSIGN(result, 82432);
      VecF32_64x8 tmp;  // 308
      TASSIGN(tmp, 82432);
      pipe_barrier(PIPE_V);
      TROWEXPANDDIV(total, total, sum, tmp);
      pipe_barrier(PIPE_V);  // 309
      TCVT(result, total, RoundMode::CAST_RINT);
      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 64>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> to(mixed + first * 256 + head);  // 310
      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 311
      TSTORE(to, result);
      set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 312
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 8));  // 314
    wait_flag_dev(9);  // 315
    pipe_barrier(PIPE_ALL);  // 316
    residual_norm(x, out, norm2, residual, normed, first);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 8));  // 317
    wait_flag_dev(9);  // 318
    pipe_barrier(PIPE_ALL);  // 319
    swiglu(gate, up, gated, first);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 8));  // 320
    wait_flag_dev(9);  // 321
    pipe_barrier(PIPE_ALL);  // 322
    add(residual, down, y, first);
    pipe_barrier(PIPE_ALL);
  }
#endif // __DAV_VEC__
}

__global__ AICORE void decoder_layer(__gm__ float *x, __gm__ float *norm1, __gm__ bfloat16_t *wq, __gm__ bfloat16_t *wk, __gm__ bfloat16_t *wv, __gm__ float *cosines, __gm__ float *sines, __gm__ bfloat16_t *wo, __gm__ float *norm2, __gm__ bfloat16_t *w_gate, __gm__ bfloat16_t *w_up, __gm__ bfloat16_t *w_down, __gm__ float *y, __gm__ bfloat16_t *work16, __gm__ float *work32, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 51
  cube(wq, wk, wv, wo, w_gate, w_up, w_down, work16, work32, s_slots, p_slots, o_slots);  // 52
  vector(x, norm1, cosines, sines, norm2, y, work16, work32, s_slots, p_slots, o_slots);  // 53
}
