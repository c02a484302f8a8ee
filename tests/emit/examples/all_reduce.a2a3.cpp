// all_reduce.pto for a2a3. Numbers at the ends of lines are its lines.
#include "pto/pto-inst.hpp"
using namespace pto;

using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;

__global__ AICORE void all_reduce(int32_t rank, __gm__ float *x, __gm__ float *y, __gm__ int32_t *arrived, __gm__ int32_t *done, __gm__ float *x_at_0, __gm__ float *x_at_1, __gm__ float *x_at_2, __gm__ float *x_at_3, __gm__ float *y_at_0, __gm__ float *y_at_1, __gm__ float *y_at_2, __gm__ float *y_at_3, __gm__ int32_t *arrived_at_0, __gm__ int32_t *arrived_at_1, __gm__ int32_t *arrived_at_2, __gm__ int32_t *arrived_at_3, __gm__ int32_t *done_at_0, __gm__ int32_t *done_at_1, __gm__ int32_t *done_at_2, __gm__ int32_t *done_at_3) {  // 14
  const int64_t rank_index = rank;
  const int64_t at = rank_index * 1024;  // 20
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND> a0(arrived_at_0);  // 22
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND> a1(arrived_at_1);  // 23
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND> a2(arrived_at_2);  // 24
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND> a3(arrived_at_3);  // 25
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND> here(arrived);  // 26
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND> d0(done_at_0);  // 27
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND> d1(done_at_1);  // 28
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND> d2(done_at_2);  // 29
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND> d3(done_at_3);  // 30
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND> complete(done);  // 31
  comm::TNOTIFY(a0, 1, comm::NotifyOp::AtomicAdd);  // 34
  comm::TNOTIFY(a1, 1, comm::NotifyOp::AtomicAdd);  // 35
  comm::TNOTIFY(a2, 1, comm::NotifyOp::AtomicAdd);  // 36
  comm::TNOTIFY(a3, 1, comm::NotifyOp::AtomicAdd);  // 37
  set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  comm::TWAIT(here, 4, comm::WaitCmp::GE);  // 38
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> p0(x_at_0 + at);  // 46
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> p1(x_at_1 + at);  // 47
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> p2(x_at_2 + at);  // 48
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> p3(x_at_3 + at);  // 49
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> sum(y + at);  // 50
  VecF32_1x1024 acc;  // 51
  TASSIGN(acc, 0);
  VecF32_1x1024 recv;  // 52
  TASSIGN(recv, 4096);
  wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);  // 53
  {
    GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> tensors[] = {p0, p1, p2, p3};
    comm::ParallelGroup<GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND>> team(tensors, 4, 0);
    comm::TREDUCE(team, sum, acc, recv, comm::ReduceOp::Sum);
  }
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> q0(y_at_0 + at);  // 60
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> q1(y_at_1 + at);  // 61
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> q2(y_at_2 + at);  // 62
  GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> q3(y_at_3 + at);  // 63
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // 64
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  pipe_barrier(PIPE_MTE2);
  {
    GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND> tensors[] = {q0, q1, q2, q3};
    comm::ParallelGroup<GlobalTensor<float, Shape<1, 1, 1, 1, 1024>, Stride<1024, 1024, 1024, 1024, 1>, Layout::ND>> team(tensors, 4, 0);
    comm::TBROADCAST(team, sum, recv);
  }
  wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);  // 65
  comm::TNOTIFY(d0, 1, comm::NotifyOp::AtomicAdd);
  comm::TNOTIFY(d1, 1, comm::NotifyOp::AtomicAdd);  // 66
  comm::TNOTIFY(d2, 1, comm::NotifyOp::AtomicAdd);  // 67
  comm::TNOTIFY(d3, 1, comm::NotifyOp::AtomicAdd);  // 68
  comm::TWAIT(complete, 4, comm::WaitCmp::GE);  // 69
}
