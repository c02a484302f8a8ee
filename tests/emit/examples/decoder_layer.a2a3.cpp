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

static AICORE void project(__gm__ bfloat16_t *x, __gm__ bfloat16_t *w, __gm__ float *y, int64_t first, int64_t depth, int64_t width) {  // 171
#if defined(__DAV_CUBE__)
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 179
  for (int64_t column = 0; column < width; column += 128) {
    AccF32_128x128 sum;  // 180
    TASSIGN(sum, 0);
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 181
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    for (int64_t k = 0; k < depth; k += 128) {
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<-1, -1, -1, -1, 1>, Layout::ND> x_in(x + first * depth + k, Shape<1, 1, 1, 128, 128>(), Stride<-1, -1, -1, -1, 1>(128 * depth, 128 * depth, 128 * depth, depth));  // 182
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<-1, -1, -1, -1, 1>, Layout::ND> w_in(w + k * width + column, Shape<1, 1, 1, 128, 128>(), Stride<-1, -1, -1, -1, 1>(128 * width, 128 * width, 128 * width, width));  // 183
      MatBf16_128x128 x_l1;  // 184
      TASSIGN(x_l1, 32768);
      MatBf16_128x128 w_l1;  // 185
      TASSIGN(w_l1, 65536);
      LeftBf16_128x128 x_l0;  // 186
      TASSIGN(x_l0, 0);
      RightBf16_128x128 w_l0;  // 187
      TASSIGN(w_l0, 0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 188
      TLOAD(x_l1, x_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 189
      TLOAD(w_l1, w_in);
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 190
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      TMOV(x_l0, x_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID1);  // 191
      TMOV(w_l0, w_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      const bool start = k == 0;  // 192
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 193
      if (start) {
        TMATMUL(sum, x_l0, w_l0);  // 194
      } else {
        TMATMUL_ACC(sum, sum, x_l0, w_l0);  // 196
      }
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // 197
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 198
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<-1, -1, -1, -1, 1>, Layout::ND> to(y + first * width + column, Shape<1, 1, 1, 128, 128>(), Stride<-1, -1, -1, -1, 1>(128 * width, 128 * width, 128 * width, width));  // 199
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 200
    TSTORE(to, sum);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  }
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // 201
#endif // __DAV_CUBE__
}

static AICORE void cube(__gm__ bfloat16_t *wq, __gm__ bfloat16_t *wk, __gm__ bfloat16_t *wv, __gm__ bfloat16_t *wo, __gm__ bfloat16_t *w_gate, __gm__ bfloat16_t *w_up, __gm__ bfloat16_t *w_down, __gm__ bfloat16_t *work16, __gm__ float *work32, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 67
#if defined(__DAV_CUBE__)
  auto pipe = TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>(s_slots, 0, 0);  // 72
  auto pipe_2 = TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>(p_slots, 0, 0);  // 73
  auto pipe_3 = TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>(o_slots, 32768, 0);  // 74
  __gm__ bfloat16_t *q16 = work16 + 65536;  // 90
  __gm__ bfloat16_t *k16 = work16 + 131072;  // 91
  __gm__ bfloat16_t *v16 = work16 + 196608;  // 92
  __gm__ bfloat16_t *mixed = work16 + 262144;  // 93
  __gm__ bfloat16_t *normed = work16 + 327680;  // 94
  __gm__ bfloat16_t *gated = work16 + 393216;  // 95
  __gm__ float *k32 = work32 + 65536;  // 98
  __gm__ float *v32 = work32 + 131072;  // 99
  __gm__ float *out = work32 + 196608;  // 100
  __gm__ float *down = work32 + 327680;  // 101
  __gm__ float *gate = work32 + 393216;  // 102
  __gm__ float *up = work32 + 524288;  // 103
  const int64_t block64 = get_block_idx();  // 109
  const int64_t blocks64 = get_block_num();  // 110
  const int64_t block = static_cast<int64_t>(block64);  // 111
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 112
  const int64_t begin = block * 128;  // 113
  const int64_t stride = blocks * 128;  // 114
  for (int64_t first = begin; first < 256; first += stride) {  // 115
    wait_flag_dev(8);  // 116
    pipe_barrier(PIPE_ALL);  // 117
    project(work16, wq, work32, first, 256, 256);
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_ALL);  // 118
    project(work16, wk, k32, first, 256, 256);
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_ALL);  // 119
    project(work16, wv, v32, first, 256, 256);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(FFTS_MODE_VAL, 9));  // 120
    wait_flag_dev(8);  // 121
    for (int64_t head = 0; head < 256; head += 64) {  // 124
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 64>, Stride<32768, 32768, 32768, 256, 1>, Layout::ND> q_in(q16 + first * 256 + head);  // 125
      MatBf16_128x64 q_l1;  // 126
      TASSIGN(q_l1, 98304);
      LeftBf16_128x64 q_l0;  // 127
      TASSIGN(q_l0, 32768);
      TLOAD(q_l1, q_in);  // 128
      set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 129
      TMOV(q_l0, q_l1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 130
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
      set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
      for (int64_t j = 0; j < 128; j += 64) {
        const int64_t key_ = first + j;  // 131
        GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 64>, Stride<64, 64, 64, 1, 256>, Layout::DN> k_in(k16 + head + key_ * 256);  // 132
        MatBf16_64x64_zn k_l1;  // 133
        TASSIGN(k_l1, 114688);
        RightBf16_64x64 k_l0;  // 134
        TASSIGN(k_l0, 32768);
        AccF32_128x64 s;  // 135
        TASSIGN(s, 65536);
        wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 136
        TLOAD(k_l1, k_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 137
        wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
        TMOV(k_l0, k_l1);
        set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 138
        wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
        TMATMUL(s, q_l0, k_l0);
        set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
        set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 139
        TPUSH<TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>, AccF32_128x64, TileSplitAxis::TILE_UP_DOWN>(pipe, s);
        set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
        GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 64>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> v_in(v16 + key_ * 256 + head);  // 141
        MatBf16_64x64 v_l1;  // 142
        TASSIGN(v_l1, 122880);
        RightBf16_64x64 v_l0;  // 143
        TASSIGN(v_l0, 40960);
        LeftBf16_128x64 p_l0;  // 144
        TASSIGN(p_l0, 49152);
        AccF32_128x64 pv;  // 145
        TASSIGN(pv, 98304);
        wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 146
        TLOAD(v_l1, v_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 147
        wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
        TMOV(v_l0, v_l1);
        set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
        wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // 148
        MatBf16_128x64 p;
        TPOP<TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>, MatBf16_128x64, TileSplitAxis::TILE_UP_DOWN>(pipe_2, p);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);  // 149
        TMOV(p_l0, p);
        set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        TFREE<TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>, TileSplitAxis::TILE_UP_DOWN>(pipe_2);  // 150
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);  // 151
        wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
        TMATMUL(pv, p_l0, v_l0);
        set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
        set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);  // 152
        TPUSH<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, AccF32_128x64, TileSplitAxis::TILE_UP_DOWN>(pipe_3, pv);
        set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
      }
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // 153
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
      wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);
    }
    wait_flag_dev(8);  // 156
    pipe_barrier(PIPE_ALL);  // 157
    project(mixed, wo, out, first, 256, 256);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(FFTS_MODE_VAL, 9));  // 158
    wait_flag_dev(8);  // 159
    pipe_barrier(PIPE_ALL);  // 160
    project(normed, w_gate, gate, first, 256, 512);
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_ALL);  // 161
    project(normed, w_up, up, first, 256, 512);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(FFTS_MODE_VAL, 9));  // 162
    wait_flag_dev(8);  // 163
    pipe_barrier(PIPE_ALL);  // 164
    project(gated, w_down, down, first, 512, 256);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(FFTS_MODE_VAL, 9));  // 165
  }
#endif // __DAV_CUBE__
}

static AICORE void normalize(VecF32_16x256 &t, VecF32_1x256 &weight, VecBf16_16x256 &result) {  // 338
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  VecF32_16x256 squares;  // 341
  TASSIGN(squares, 91200);
  VecF32_16x256 scratch;  // 342
  TASSIGN(scratch, 107584);
  VecF32_16x1_dn mean;  // 343
  TASSIGN(mean, 91136);
  VecF32_1x16 means;  // 344
  TRESHAPE(means, mean);
  TMUL(squares, t, t);  // 345
  pipe_barrier(PIPE_V);  // 346
  TROWSUM(mean, squares, scratch);
  pipe_barrier(PIPE_V);  // 347
  TMULS(means, means, 0.00390625f);
  pipe_barrier(PIPE_V);  // 348
  TADDS(means, means, 1e-5f);
  pipe_barrier(PIPE_V);  // 349
  TRSQRT(means, means);
  VecF32_16x8 tmp_3;  // 350
  TASSIGN(tmp_3, 123968);
  pipe_barrier(PIPE_V);
  TROWEXPANDMUL(squares, t, mean, tmp_3);
  pipe_barrier(PIPE_V);  // 351
  TCOLEXPANDMUL(squares, squares, weight);
  pipe_barrier(PIPE_V);  // 352
  TCVT(result, squares, RoundMode::CAST_RINT);
#endif // __DAV_VEC__
}

static AICORE void input_norm(__gm__ float *x, __gm__ float *w, __gm__ bfloat16_t *y, int64_t first) {  // 356
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<256, 256, 256, 256, 1>, Layout::ND> ws(w);  // 363
  VecF32_1x256 weight;  // 365
  TASSIGN(weight, 65536);
  TLOAD(weight, ws);  // 366
  const int64_t end = first + 64;  // 367
  for (int64_t at = first; at < end; at += 16) {  // 368
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> in(x + at * 256);  // 369
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> to(y + at * 256);  // 370
    VecF32_16x256 t;  // 371
    TASSIGN(t, 66560);
    VecBf16_16x256 normed;  // 372
    TASSIGN(normed, 82944);
    TLOAD(t, in);  // 373
    pipe_barrier(PIPE_ALL);  // 374
    normalize(t, weight, normed);
    pipe_barrier(PIPE_ALL);
    TSTORE(to, normed);  // 375
  }
#endif // __DAV_VEC__
}

static AICORE void rotate(__gm__ float *x, __gm__ float *cosines, __gm__ float *sines, float scale, __gm__ bfloat16_t *y, int64_t first, int64_t position) {  // 381
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 32, 1>, Layout::ND> c_in(cosines + position * 32);  // 392
  GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 32, 1>, Layout::ND> s_in(sines + position * 32);  // 393
  VecF32_64x32 cosine;  // 394
  TASSIGN(cosine, 65536);
  VecF32_64x32 sine;  // 395
  TASSIGN(sine, 73728);
  TLOAD(cosine, c_in);  // 396
  TLOAD(sine, s_in);  // 397
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 398
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
  for (int64_t head = 0; head < 256; head += 64) {
    const int64_t middle = head + 32;  // 399
    GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> a_in(x + first * 256 + head);  // 400
    GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> b_in(x + first * 256 + middle);  // 401
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 32>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> a_to(y + first * 256 + head);  // 402
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 32>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> b_to(y + first * 256 + middle);  // 403
    VecF32_64x32 a;  // 404
    TASSIGN(a, 81920);
    VecF32_64x32 b;  // 405
    TASSIGN(b, 124480);
    VecF32_64x32 turned;  // 406
    TASSIGN(turned, 132672);
    VecF32_64x32 other;  // 407
    TASSIGN(other, 140864);
    VecBf16_64x32 a16;  // 408
    TASSIGN(a16, 149056);
    VecBf16_64x32 b16;  // 409
    TASSIGN(b16, 153152);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 410
    TLOAD(a, a_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TLOAD(b, b_in);  // 411
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 412
    TMULS(a, a, scale);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);  // 413
    TMULS(b, b, scale);
    pipe_barrier(PIPE_V);  // 415
    TMUL(turned, a, cosine);
    TMUL(other, b, sine);  // 416
    pipe_barrier(PIPE_V);  // 417
    TSUB(turned, turned, other);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 418
    pipe_barrier(PIPE_V);
    TCVT(a16, turned, RoundMode::CAST_RINT);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    pipe_barrier(PIPE_V);  // 419
    TMUL(turned, b, cosine);
    TMUL(other, a, sine);  // 420
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    pipe_barrier(PIPE_V);  // 421
    TADD(turned, turned, other);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 422
    pipe_barrier(PIPE_V);
    TCVT(b16, turned, RoundMode::CAST_RINT);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 423
    pipe_barrier(PIPE_MTE3);
    TSTORE(a_to, a16);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);  // 424
    pipe_barrier(PIPE_MTE3);
    TSTORE(b_to, b16);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 425
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
#endif // __DAV_VEC__
}

static AICORE void narrow(__gm__ float *x, __gm__ bfloat16_t *y, int64_t first) {  // 429
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  const int64_t end = first + 64;  // 437
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 438
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  for (int64_t at = first; at < end; at += 16) {
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> in(x + at * 256);  // 439
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> to(y + at * 256);  // 440
    VecF32_16x256 t;  // 441
    TASSIGN(t, 65536);
    VecBf16_16x256 narrow;  // 442
    TASSIGN(narrow, 81920);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 443
    TLOAD(t, in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 444
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    TCVT(narrow, t, RoundMode::CAST_RINT);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 445
    TSTORE(to, narrow);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 446
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
#endif // __DAV_VEC__
}

static AICORE void residual_norm(__gm__ float *x, __gm__ float *added, __gm__ float *w, __gm__ float *sum, __gm__ bfloat16_t *y, int64_t first) {  // 451
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<256, 256, 256, 256, 1>, Layout::ND> ws(w);  // 459
  VecF32_1x256 weight;  // 462
  TASSIGN(weight, 65536);
  TLOAD(weight, ws);  // 463
  const int64_t end = first + 64;  // 464
  for (int64_t at = first; at < end; at += 16) {  // 465
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> x_in(x + at * 256);  // 466
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> a_in(added + at * 256);  // 467
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> sum_to(sum + at * 256);  // 468
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> to(y + at * 256);  // 469
    VecF32_16x256 t;  // 470
    TASSIGN(t, 66560);
    VecF32_16x256 a;  // 471
    TASSIGN(a, 124480);
    VecBf16_16x256 normed;  // 472
    TASSIGN(normed, 82944);
    TLOAD(t, x_in);  // 473
    TLOAD(a, a_in);  // 474
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 475
    TADD(t, t, a);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 476
    TSTORE(sum_to, t);
    pipe_barrier(PIPE_ALL);  // 477
    normalize(t, weight, normed);
    pipe_barrier(PIPE_ALL);
    TSTORE(to, normed);  // 478
  }
#endif // __DAV_VEC__
}

static AICORE void swiglu(__gm__ float *gate, __gm__ float *up, __gm__ bfloat16_t *y, int64_t first) {  // 484
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  const int64_t end = first + 64;  // 496
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 497
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  for (int64_t at = first; at < end; at += 16) {
    GlobalTensor<float, Shape<1, 1, 1, 16, 512>, Stride<8192, 8192, 8192, 512, 1>, Layout::ND> g_in(gate + at * 512);  // 498
    GlobalTensor<float, Shape<1, 1, 1, 16, 512>, Stride<8192, 8192, 8192, 512, 1>, Layout::ND> u_in(up + at * 512);  // 499
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 512>, Stride<8192, 8192, 8192, 512, 1>, Layout::ND> to(y + at * 512);  // 500
    VecF32_16x512 g;  // 501
    TASSIGN(g, 65536);
    VecF32_16x512 u;  // 502
    TASSIGN(u, 98304);
    VecF32_16x512 below;  // 503
    TASSIGN(below, 131072);
    VecBf16_16x512 result;  // 504
    TASSIGN(result, 98304);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 505
    TLOAD(g, g_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 506
    TLOAD(u, u_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 507
    TMULS(below, g, -1.0f);
    pipe_barrier(PIPE_V);  // 508
    TEXP(below, below);
    pipe_barrier(PIPE_V);  // 509
    TADDS(below, below, 1.0f);
    pipe_barrier(PIPE_V);  // 510
    TDIV(g, g, below);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);  // 511
    pipe_barrier(PIPE_V);
    TMUL(g, g, u);
    pipe_barrier(PIPE_V);  // 512
    TCVT(result, g, RoundMode::CAST_RINT);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 513
    TSTORE(to, result);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 514
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
#endif // __DAV_VEC__
}

static AICORE void add(__gm__ float *a, __gm__ float *b, __gm__ float *y, int64_t first) {  // 518
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  const int64_t end = first + 64;  // 527
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 528
  for (int64_t at = first; at < end; at += 16) {
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> a_in(a + at * 256);  // 529
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> b_in(b + at * 256);  // 530
    GlobalTensor<float, Shape<1, 1, 1, 16, 256>, Stride<4096, 4096, 4096, 256, 1>, Layout::ND> to(y + at * 256);  // 531
    VecF32_16x256 s;  // 532
    TASSIGN(s, 65536);
    VecF32_16x256 t;  // 533
    TASSIGN(t, 81920);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 534
    TLOAD(s, a_in);
    TLOAD(t, b_in);  // 535
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 536
    TADD(s, s, t);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 537
    TSTORE(to, s);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  }
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 538
#endif // __DAV_VEC__
}

static AICORE void vector(__gm__ float *x, __gm__ float *norm1, __gm__ float *cosines, __gm__ float *sines, __gm__ float *norm2, __gm__ float *y, __gm__ bfloat16_t *work16, __gm__ float *work32, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 205
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto pipe = TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>(s_slots, 0, 0);  // 210
  auto pipe_2 = TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>(p_slots, 0, 0);  // 211
  auto pipe_3 = TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>(o_slots, 32768, 0);  // 212
  __gm__ bfloat16_t *q16 = work16 + 65536;  // 232
  __gm__ bfloat16_t *k16 = work16 + 131072;  // 233
  __gm__ bfloat16_t *v16 = work16 + 196608;  // 234
  __gm__ bfloat16_t *mixed = work16 + 262144;  // 235
  __gm__ bfloat16_t *normed = work16 + 327680;  // 236
  __gm__ bfloat16_t *gated = work16 + 393216;  // 237
  __gm__ float *k32 = work32 + 65536;  // 238
  __gm__ float *v32 = work32 + 131072;  // 239
  __gm__ float *out = work32 + 196608;  // 240
  __gm__ float *residual = work32 + 262144;  // 241
  __gm__ float *down = work32 + 327680;  // 242
  __gm__ float *gate = work32 + 393216;  // 243
  __gm__ float *up = work32 + 524288;  // 244
  const int64_t block64 = get_block_idx();  // 249
  const int64_t blocks64 = get_block_num();  // 250
  const int64_t number64 = get_subblockid();  // 251
  const int64_t block = static_cast<int64_t>(block64);  // 252
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 253
  const int64_t number = static_cast<int64_t>(number64);  // 254
  const int64_t position = number * 64;  // 256
  const int64_t begin = block * 128;  // 257
  const int64_t stride = blocks * 128;  // 258
  for (int64_t sequence = begin; sequence < 256; sequence += stride) {  // 259
    const int64_t first = sequence + position;  // 260
    pipe_barrier(PIPE_ALL);  // 261
    input_norm(x, norm1, work16, first);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 8));  // 262
    wait_flag_dev(9);  // 263
    pipe_barrier(PIPE_ALL);  // 264
    rotate(work32, cosines, sines, 0.125f, q16, first, position);
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_ALL);  // 265
    rotate(k32, cosines, sines, 1.0f, k16, first, position);
    pipe_barrier(PIPE_ALL);
    pipe_barrier(PIPE_ALL);  // 266
    narrow(v32, v16, first);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 8));  // 267
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 270
    for (int64_t head = 0; head < 256; head += 64) {
      VecF32_64x64 total;  // 271
      TASSIGN(total, 66048);
      VecF32_64x1_dn largest;  // 272
      TASSIGN(largest, 65536);
      VecF32_64x1_dn sum;  // 273
      TASSIGN(sum, 65792);
      VecF32_1x64 largest_row;  // 274
      TRESHAPE(largest_row, largest);
      VecF32_1x64 sum_row;  // 275
      TRESHAPE(sum_row, sum);
      pipe_barrier(PIPE_V);  // 276
      TEXPANDS(total, 0.0f);
      TEXPANDS(largest_row, -3e38f);  // 277
      TEXPANDS(sum_row, 0.0f);  // 278
      wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 279
      set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
      for (int64_t j = 0; j < 128; j += 64) {
        VecF32_64x64 mask;  // 280
        TASSIGN(mask, 124480);
        VecF32_64x64 scratch;  // 281
        TASSIGN(scratch, 124480);
        VecBf16_64x64 p;  // 282
        TASSIGN(p, 82944);
        VecF32_64x1_dn found;  // 283
        TASSIGN(found, 82432);
        VecF32_64x1_dn added;  // 284
        TASSIGN(added, 82688);
        VecF32_1x64 found_row;  // 285
        TRESHAPE(found_row, found);
        VecF32_1x64 added_row;  // 286
        TRESHAPE(added_row, added);
        const int64_t ahead = position - j;  // 289
        const int32_t diagonal = static_cast<int32_t>(ahead);  // 290
        TTRI<VecF32_64x64, 0>(mask, diagonal);  // 291
        pipe_barrier(PIPE_V);  // 292
        TMULS(mask, mask, 30000.0f);
        pipe_barrier(PIPE_V);  // 293
        TADDS(mask, mask, -30000.0f);
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 295
        VecF32_64x64 s;
        TPOP<TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>, VecF32_64x64, TileSplitAxis::TILE_UP_DOWN>(pipe, s);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 296
        pipe_barrier(PIPE_V);
        TADD(s, s, mask);
        pipe_barrier(PIPE_V);  // 297
        TROWMAX(found, s, scratch);
        pipe_barrier(PIPE_V);  // 298
        TMAX(found_row, found_row, largest_row);
        VecF32_64x8 tmp_1;  // 299
        TASSIGN(tmp_1, 82944);
        pipe_barrier(PIPE_V);
        TROWEXPANDEXPDIF(s, s, found, tmp_1);
        pipe_barrier(PIPE_V);  // 300
        TCVT(p, s, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 301
        TPUSH<TPipe<2, Direction::DIR_V2C, 16384, 2, 2, false>, VecBf16_64x64, TileSplitAxis::TILE_UP_DOWN>(pipe_2, p);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        TROWSUM(added, s, scratch);  // 302
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        TFREE<TPipe<0, Direction::DIR_C2V, 32768, 2, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe);  // 303
        TSUB(largest_row, largest_row, found_row);  // 306
        pipe_barrier(PIPE_V);  // 307
        TEXP(largest_row, largest_row);
        pipe_barrier(PIPE_V);  // 308
        TMUL(sum_row, sum_row, largest_row);
        pipe_barrier(PIPE_V);  // 309
        TADD(sum_row, sum_row, added_row);
        VecF32_64x8 tmp_2;  // 310
        TASSIGN(tmp_2, 82688);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(total, total, largest, tmp_2);
        pipe_barrier(PIPE_V);  // 311
        TADDS(largest_row, found_row, 0.0f);
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 313
        VecF32_64x64 pv;
        TPOP<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, VecF32_64x64, TileSplitAxis::TILE_UP_DOWN>(pipe_3, pv);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 314
        TADD(total, total, pv);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        TFREE<TPipe<4, Direction::DIR_C2V, 32768, 2, 1, false>, TileSplitAxis::TILE_UP_DOWN>(pipe_3);  // 315
      }
      wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 316
      VecBf16_64x64 result;  // 317
      TASSIGN(result, 82432);
      VecF32_64x8 tmp;  // 318
      TASSIGN(tmp, 82432);
      pipe_barrier(PIPE_V);
      TROWEXPANDDIV(total, total, sum, tmp);
      pipe_barrier(PIPE_V);  // 319
      TCVT(result, total, RoundMode::CAST_RINT);
      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
      GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 64>, Stride<16384, 16384, 16384, 256, 1>, Layout::ND> to(mixed + first * 256 + head);  // 320
      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 321
      TSTORE(to, result);
      set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 322
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 8));  // 324
    wait_flag_dev(9);  // 325
    pipe_barrier(PIPE_ALL);  // 326
    residual_norm(x, out, norm2, residual, normed, first);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 8));  // 327
    wait_flag_dev(9);  // 328
    pipe_barrier(PIPE_ALL);  // 329
    swiglu(gate, up, gated, first);
    pipe_barrier(PIPE_ALL);
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 8));  // 330
    wait_flag_dev(9);  // 331
    pipe_barrier(PIPE_ALL);  // 332
    add(residual, down, y, first);
    pipe_barrier(PIPE_ALL);
  }
#endif // __DAV_VEC__
}

__global__ AICORE void decoder_layer(__gm__ float *x, __gm__ float *norm1, __gm__ bfloat16_t *wq, __gm__ bfloat16_t *wk, __gm__ bfloat16_t *wv, __gm__ float *cosines, __gm__ float *sines, __gm__ bfloat16_t *wo, __gm__ float *norm2, __gm__ bfloat16_t *w_gate, __gm__ bfloat16_t *w_up, __gm__ bfloat16_t *w_down, __gm__ float *y, __gm__ bfloat16_t *work16, __gm__ float *work32, __gm__ float *s_slots, __gm__ bfloat16_t *p_slots, __gm__ float *o_slots) {  // 61
  cube(wq, wk, wv, wo, w_gate, w_up, w_down, work16, work32, s_slots, p_slots, o_slots);  // 62
  vector(x, norm1, cosines, sines, norm2, y, work16, work32, s_slots, p_slots, o_slots);  // 63
}
