// fixpipe.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using AccI32_16x16 = Tile<TileType::Acc, int32_t, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 1024, PadValue::Null, CompactMode::Null>;
using VecF16_16x16 = Tile<TileType::Vec, half, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using VecU8_16x32_v16x16 = Tile<TileType::Vec, uint8_t, 16, 32, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

AICORE void cube(__gm__ float *slots, __gm__ float *more, float scale, float other) {  // 6
#if defined(__DAV_CUBE__)
  auto pipe = TPipe<0, Direction::DIR_C2V, 512, 8, 8, true>(slots, 0, 0);  // 10
  using Pipe0FixpipeConfig = FixpipeParams<LayoutMode_t::NZ2ND, QuantMode_t::DEQF16, ReluPreMode::NormalRelu>;
  auto pipe_2 = TPipe<2, Direction::DIR_C2V, 512, 8, 8, true>(more, 4096, 0);  // 11
  using Pipe1FixpipeConfig = FixpipeParams<LayoutMode_t::NZ2ND, QuantMode_t::REQ8, ReluPreMode::NoRelu>;
  AccI32_16x16 acc;  // 12
  TASSIGN(acc, 0);
  SET_QUANT_SCALAR<half>(scale);  // 15
  TPUSH<TPipe<0, Direction::DIR_C2V, 512, 8, 8, true>, AccI32_16x16, Pipe0FixpipeConfig>(pipe, acc);
  SET_QUANT_SCALAR<uint8_t>(other);  // 16
  TPUSH<TPipe<2, Direction::DIR_C2V, 512, 8, 8, true>, AccI32_16x16, Pipe1FixpipeConfig>(pipe_2, acc);
#endif // __DAV_CUBE__
}

AICORE void vector(__gm__ float *slots, __gm__ float *more) {  // 20
#if defined(__DAV_VEC__)
  set_mask_norm();
  set_vector_mask(-1, -1);
  auto pipe = TPipe<0, Direction::DIR_C2V, 512, 8, 8, true>(slots, 0, 0);  // 24
  auto pipe_2 = TPipe<2, Direction::DIR_C2V, 512, 8, 8, true>(more, 4096, 0);  // 25
  VecF16_16x16 half_;  // 26
  TPOP<TPipe<0, Direction::DIR_C2V, 512, 8, 8, true>, VecF16_16x16, TileSplitAxis::TILE_NO_SPLIT>(pipe, half_);
  TFREE<TPipe<0, Direction::DIR_C2V, 512, 8, 8, true>, TileSplitAxis::TILE_NO_SPLIT>(pipe);  // 27
  pipe_barrier(PIPE_MTE2);  // 28
  VecU8_16x32_v16x16 byte;
  TPOP<TPipe<2, Direction::DIR_C2V, 512, 8, 8, true>, VecU8_16x32_v16x16, TileSplitAxis::TILE_NO_SPLIT>(pipe_2, byte);
  TFREE<TPipe<2, Direction::DIR_C2V, 512, 8, 8, true>, TileSplitAxis::TILE_NO_SPLIT>(pipe_2);  // 29
#endif // __DAV_VEC__
}
