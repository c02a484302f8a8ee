// top_k.pto for a5. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecU32_1x2048 = Tile<TileType::Vec, uint32_t, 1, 2048, BLayout::RowMajor, 1, 2048, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecF32_1x4096_v1x128 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void top_k(__gm__ float *x, __gm__ float *largest, __gm__ int32_t *where) {  // 17
  VecU32_1x2048 numbers;  // 30
  TASSIGN(numbers, 0);
  TCI<VecU32_1x2048, uint32_t, 0>(numbers, 0);  // 31
  set_flag(PIPE_S, PIPE_V, EVENT_ID0);
  const int64_t block64 = get_block_idx();  // 33
  const int64_t blocks64 = get_block_num();  // 34
  const int64_t block = static_cast<int64_t>(block64);  // 35
  const int64_t blocks = static_cast<int64_t>(blocks64);  // 36
  wait_flag(PIPE_S, PIPE_V, EVENT_ID0);  // 37
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
  for (int64_t at = block; at < 256; at += blocks) {
    VecF32_1x2048 t;  // 38
    TASSIGN(t, 8192);
    VecF32_1x4096 a;  // 39
    TASSIGN(a, 16384);
    VecF32_1x4096 b;  // 40
    TASSIGN(b, 32768);
    VecF32_1x64 values;  // 41
    TASSIGN(values, 49152);
    VecI32_1x64 places;  // 42
    TASSIGN(places, 49408);
    GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<2048, 2048, 2048, 2048, 1>, Layout::ND> in(x + at * 2048);  // 43
    GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<64, 64, 64, 64, 1>, Layout::ND> value_out(largest + at * 64);  // 44
    GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<64, 64, 64, 64, 1>, Layout::ND> place_out(where + at * 64);  // 45
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 47
    TLOAD(t, in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);  // 48
    TSORT32(a, t, numbers);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    TMRGSORT(b, a, 64);  // 49
    TMRGSORT(a, b, 256);  // 50
    TMRGSORT(b, a, 1024);  // 51
    VecF32_1x4096_v1x128 best;  // 52
    TASSIGN(best, (uint64_t)b.data());
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // 53
    TGATHER<VecF32_1x64, VecF32_1x4096_v1x128, MaskPattern::P0101>(values, best);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 54
    TGATHER<VecI32_1x64, VecF32_1x4096_v1x128, MaskPattern::P1010>(places, best);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // 55
    TSTORE(value_out, values);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);  // 56
    TSTORE(place_out, places);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // 57
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
}
