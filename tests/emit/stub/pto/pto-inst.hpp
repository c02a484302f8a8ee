// What emitted C++ may use, without any meaning: types, enumerations, and calls that check how many arguments they get.
// Written for the test that compiles emitted programs; no part of any device header.
#pragma once
#include <cstddef>
#include <cstdint>

#define __global__
#define AICORE
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __DAV_CUBE__
#define __DAV_VEC__

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
enum dsb_t { DSB_DDR };
enum mem_bar_t { VV_ALL, VST_VLD, VLD_VST, VST_VST, VS_ALL, VST_LD, VLD_ST, VST_ST };
enum class cache_line_t { ENTIRE_DATA_CACHE };
constexpr int SINGLE_CACHE_LINE = 0, FFTS_MODE_VAL = 2;

void set_flag(pipe_t, pipe_t, event_t);
void wait_flag(pipe_t, pipe_t, event_t);
void pipe_barrier(pipe_t);
void get_buf(pipe_t, int, int);
void rls_buf(pipe_t, int, int);
uint16_t getFFTSMsg(int, int);
void ffts_cross_core_sync(pipe_t, uint16_t);
void wait_flag_dev(int);
void set_intra_block(pipe_t, int);
void wait_intra_block(pipe_t, int);
void set_mask_norm();
void set_vector_mask(int64_t, int64_t);
int64_t get_block_idx();
int64_t get_block_num();
int64_t get_subblockid();
int64_t get_subblockdim();
void set_ffts_base_addr(uint64_t);
void dsb(dsb_t);
void mem_bar(mem_bar_t);
template <typename T> void dcci(__gm__ void *, T);
void trap();
template <typename A, typename B> int64_t sbitset0(A, B);
template <typename A, typename B> int64_t sbitset1(A, B);
namespace cce { template <typename... A> int printf(const char *, A...); }

#define PTO_SETTING(NAME) template <typename... A> void NAME(A...);
PTO_SETTING(set_atomic_add) PTO_SETTING(set_atomic_max) PTO_SETTING(set_atomic_min) PTO_SETTING(set_atomic_none)
PTO_SETTING(set_atomic_f32) PTO_SETTING(set_atomic_f16) PTO_SETTING(set_atomic_bf16) PTO_SETTING(set_atomic_s32)
PTO_SETTING(set_atomic_s16) PTO_SETTING(set_atomic_s8) PTO_SETTING(set_store_atomic_cfg) PTO_SETTING(set_fpc)
PTO_SETTING(set_quant_pre) PTO_SETTING(set_relu_alpha) PTO_SETTING(set_fix_clip_relu)
PTO_SETTING(set_loop1_stride_outtoub) PTO_SETTING(set_loop2_stride_outtoub) PTO_SETTING(set_loop_size_outtoub)
PTO_SETTING(set_loop1_stride_ubtoout) PTO_SETTING(set_loop2_stride_ubtoout) PTO_SETTING(set_loop_size_ubtoout)
PTO_SETTING(set_loop1_stride_outtol1) PTO_SETTING(set_loop2_stride_outtol1) PTO_SETTING(set_loop_size_outtol1)
PTO_SETTING(set_loop3_para) PTO_SETTING(set_channel_para) PTO_SETTING(set_mte2_nz_para)
PTO_SETTING(set_pad_val_outtol1) PTO_SETTING(set_mov_pad_val)

namespace pto {

// Number formats: sixteen and eight bits that can be made from, and become, a float.
template <typename Bits, int Kind> struct Number {
    Bits bits;
    Number() = default;
    Number(float);
    operator float() const;
};
using half = Number<uint16_t, 0>;
using bfloat16_t = Number<uint16_t, 1>;
using float8_e4m3_t = Number<uint8_t, 2>;
using float8_e5m2_t = Number<uint8_t, 3>;
using float8_e8m0_t = Number<uint8_t, 4>;
using hifloat8_t = Number<uint8_t, 5>;
using float4_e1m2x2_t = Number<uint8_t, 6>;
using float4_e2m1x2_t = Number<uint8_t, 7>;
using int4b_t = Number<uint8_t, 8>;

enum class TileType { Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight, Ctrl };
enum class BLayout { RowMajor, ColMajor };
enum class SLayout { NoneBox, RowMajor, ColMajor };
enum class PadValue { Null, Zero, Max, Min };
enum class CompactMode { Null, Normal, RowPlusOne, RowAlignedPadding };
enum class Layout { ND, DN, NZ, MX_A_ZZ, MX_A_ND, MX_A_DN, MX_B_NN, MX_B_ND, MX_B_DN, NC1HWC0 };
enum class CmpMode { EQ, NE, LT, LE, GT, GE };
enum class RoundMode { CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC, CAST_ODD };
enum class SaturationMode { ON, OFF };
enum class STPhase { Unspecified, Partial, Final };
enum class AccPhase { Unspecified, Partial, Final };
enum class AtomicType { AtomicNone, AtomicAdd };
enum class ReluPreMode { NoRelu, NormalRelu };
enum class AccToVecMode { SingleModeVec0, SingleModeVec1, DualModeSplitM, DualModeSplitN };
enum class TInsertMode { SPLIT2, SPLIT4 };
enum class MaskPattern { P0101, P1010, P0001, P0010, P0100, P1000, P1111 };
enum class GatherAxis { GATHER_ROW, GATHER_COL };
enum class ScatterAxis { SCATTER_ROW, SCATTER_COL };
enum class GatherOOB { Undefined, Clamp, Wrap, Zero };
enum class ScatterOOB { Undefined, Skip, Clamp, Wrap };
enum class ScatterAtomicOp { None, Add, Max, Min };
enum class ScatterConflict { Default, Last };
enum class Coalesce { Row, Elem };
enum class QuantType { INT8_SYM, INT8_ASYM, MXFP8, MXFP4_E2M1 };
enum class QuantScaleAlg { OCP, NV };
enum class VecStoreMode { ND, NZ };
enum class HistByte { BYTE_0, BYTE_1, BYTE_2, BYTE_3 };
enum class PrintFormat { Width8_Precision4, Width8_Precision2, Width10_Precision6 };
enum class SyncAllMode { Hard, Soft };
enum class SyncCoreType { AIVOnly, AICOnly, Mix };
enum class DivAlgorithm { DEFAULT, HIGH_PRECISION };
enum class ExpAlgorithm { DEFAULT, HIGH_PRECISION };
enum class LogAlgorithm { DEFAULT, HIGH_PRECISION };
enum class SqrtAlgorithm { DEFAULT, HIGH_PRECISION };
enum class TileSplitAxis { TILE_NO_SPLIT, TILE_UP_DOWN, TILE_LEFT_RIGHT, TILE_UP_DOWN_ODD, TILE_LEFT_RIGHT_ODD };
enum class Direction { DIR_C2V, DIR_V2C, DIR_BOTH, DIR_C2V_GM, DIR_V2C_GM };

// A tile: open extents are arguments of its constructor, and only those.
template <TileType L, typename T, int R, int C, BLayout B, int VR, int VC, SLayout S, int F, PadValue P, CompactMode K>
struct Tile {
    using DType = T;
    static constexpr int open = (VR == -1) + (VC == -1);
    Tile() = default;
    explicit Tile(int64_t) { static_assert(open == 1, "one open extent"); }
    Tile(int64_t, int64_t) { static_assert(open == 2, "two open extents"); }
    T *data();
    unsigned GetValidRow() const;
    unsigned GetValidCol() const;
    void SetValidShape(unsigned, unsigned) { static_assert(open == 2, "two open extents"); }
    T GetValue(uint32_t);
    void SetValue(uint32_t, T);
};

template <int64_t A, int64_t B, int64_t C, int64_t D, int64_t E> struct Five {
    static constexpr int open = (A == -1) + (B == -1) + (C == -1) + (D == -1) + (E == -1);
    template <typename... N> Five(N...) { static_assert(sizeof...(N) == open || sizeof...(N) == 0, "one number per open extent"); }
};
template <int64_t A, int64_t B, int64_t C, int64_t D, int64_t E> using Shape = Five<A, B, C, D, E>;
template <int64_t A, int64_t B, int64_t C, int64_t D, int64_t E> using Stride = Five<A, B, C, D, E>;

template <typename T, typename S, typename D, Layout L = Layout::ND> struct GlobalTensor {
    GlobalTensor() = default;
    GlobalTensor(T *) { static_assert(S::open == 0 && D::open == 0, "open extents need their numbers"); }
    GlobalTensor(T *, const S &) { static_assert(D::open == 0, "open strides need their numbers"); }
    GlobalTensor(T *, const S &, const D &) {}
    T *data();
};

// A feature map: extents are part of its type, what is done with it are fields.
template <int64_t N, int64_t C1, int64_t H, int64_t W, int64_t C0> struct ConvTileShape {};
template <TileType L, typename T, int Size, Layout Y, typename S> struct ConvTile {
    T *data();
    int64_t GetShape(int) const;
    void SetFmapH(uint16_t);
    void SetFmapW(uint16_t);
    void SetPadList(uint8_t, uint8_t);
    void SetFilterH(uint16_t);
    void SetFilterW(uint16_t);
    void SetStrideH(uint8_t);
    void SetStrideW(uint8_t);
    void SetDilationH(uint8_t);
    void SetDilationW(uint8_t);
    void SetChannelSize(uint16_t);
    void SetDstStride(uint16_t);
    T GetPadValue() const;
    void SetPadValue(T);
};
enum class SetFmatrixMode { FMATRIX_A_AUTO, FMATRIX_B_AUTO, FMATRIX_A_MANUAL, FMATRIX_B_MANUAL };
enum class LayoutMode_t { NZ2NZ, NZ2ND, NZ2DN };
enum class QuantMode_t { NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, REQ8, VREQ8, QF322B8_PRE, VQF322B8_PRE };
template <LayoutMode_t L, QuantMode_t Q, ReluPreMode R> struct FixpipeParams {};

template <int Flag, Direction D, int Size, int Slots, int Local, bool NoSplit> struct TPipe {
    TPipe(__gm__ void *, int64_t, int64_t);
};

struct MrgSortExecutedNumList { uint16_t list[4]; };
struct TRandomKey { uint32_t words[2]; };
struct TRandomCounter { uint32_t words[4]; };
namespace comm { struct AsyncSession {}; }
struct PrefetchAsyncContext {
    comm::AsyncSession session;
    explicit PrefetchAsyncContext(__gm__ uint8_t *);
};

template <typename T, typename A> void TASSIGN(T &, A address) { (void)static_cast<uint64_t>(address); }

// A call with so many arguments; what stands before them may be types or values.
enum class TLoadL2Hint { Default, NotAllocKeep };
#define PTO_CALL(NAME, LOW, HIGH)                                                                              \
    template <typename... A> void NAME(const A &...) { static_assert(sizeof...(A) >= LOW && sizeof...(A) <= HIGH); } \
    template <auto V, typename... A> void NAME(const A &...) { static_assert(sizeof...(A) >= LOW && sizeof...(A) <= HIGH); }

PTO_CALL(TADD, 3, 3) PTO_CALL(TSUB, 3, 3) PTO_CALL(TMUL, 3, 3) PTO_CALL(TDIV, 3, 3) PTO_CALL(TMAX, 3, 3) PTO_CALL(TMIN, 3, 3)
PTO_CALL(TABS, 2, 2) PTO_CALL(TEXP, 2, 2) PTO_CALL(TLOG, 2, 2) PTO_CALL(TSQRT, 2, 2) PTO_CALL(TRSQRT, 2, 3)
PTO_CALL(TRECIP, 2, 2) PTO_CALL(TNEG, 2, 2) PTO_CALL(TNOT, 2, 2) PTO_CALL(TAND, 3, 3) PTO_CALL(TOR, 3, 3) PTO_CALL(TXOR, 4, 4)
PTO_CALL(TSHL, 3, 3) PTO_CALL(TSHR, 3, 3) PTO_CALL(TREM, 4, 4) PTO_CALL(TFMOD, 3, 3) PTO_CALL(TPOW, 4, 4) PTO_CALL(TRELU, 2, 2)
PTO_CALL(TPRELU, 4, 4) PTO_CALL(TMULADDDST, 3, 3) PTO_CALL(TFUSEDMULADD, 3, 3) PTO_CALL(TFUSEDMULADDRELU, 3, 3)
PTO_CALL(TSUBRELU, 3, 3) PTO_CALL(TADDRELUCONV, 3, 3) PTO_CALL(TSUBRELUCONV, 3, 3) PTO_CALL(TADDDEQRELU, 5, 5)
PTO_CALL(TCMP, 4, 4) PTO_CALL(TSEL_IMPL, 5, 5) PTO_CALL(TCVT, 3, 5) PTO_CALL(TADDS, 3, 3) PTO_CALL(TSUBS, 3, 3) PTO_CALL(TMULS, 3, 3)
PTO_CALL(TDIVS, 3, 3) PTO_CALL(TMAXS, 3, 3) PTO_CALL(TMINS, 3, 3) PTO_CALL(TANDS, 3, 3) PTO_CALL(TORS, 3, 3) PTO_CALL(TXORS, 4, 4)
PTO_CALL(TSHLS, 3, 3) PTO_CALL(TSHRS, 3, 3) PTO_CALL(TREMS, 4, 4) PTO_CALL(TFMODS, 3, 3) PTO_CALL(TPOWS, 4, 4) PTO_CALL(TLRELU, 3, 3)
PTO_CALL(TAXPY, 3, 3) PTO_CALL(TEXPANDS, 2, 2) PTO_CALL(TCMPS, 4, 4) PTO_CALL(TSELS, 5, 5)
PTO_CALL(TPARTADD, 3, 3) PTO_CALL(TPARTMUL, 3, 3) PTO_CALL(TPARTMAX, 3, 3) PTO_CALL(TPARTMIN, 3, 3) PTO_CALL(TPARTARGMAX, 6, 6)
PTO_CALL(TPARTARGMIN, 6, 6) PTO_CALL(TROWSUM, 3, 3) PTO_CALL(TROWPROD, 3, 3) PTO_CALL(TROWMAX, 3, 3) PTO_CALL(TROWMIN, 3, 3)
PTO_CALL(TROWARGMAX, 3, 4) PTO_CALL(TROWARGMIN, 3, 4) PTO_CALL(TCOLSUM, 2, 4) PTO_CALL(TCOLPROD, 2, 2) PTO_CALL(TCOLMAX, 2, 2)
PTO_CALL(TCOLMIN, 2, 2) PTO_CALL(TCOLARGMAX, 3, 4) PTO_CALL(TCOLARGMIN, 3, 4) PTO_CALL(TPAIRREDUCESUM, 2, 2)
PTO_CALL(TROWEXPAND, 2, 2) PTO_CALL(TROWEXPANDADD, 3, 4) PTO_CALL(TROWEXPANDSUB, 3, 4) PTO_CALL(TROWEXPANDMUL, 3, 4)
PTO_CALL(TROWEXPANDDIV, 3, 4) PTO_CALL(TROWEXPANDMAX, 3, 4) PTO_CALL(TROWEXPANDMIN, 3, 4) PTO_CALL(TROWEXPANDEXPDIF, 3, 4)
PTO_CALL(TCOLEXPAND, 2, 2) PTO_CALL(TCOLEXPANDADD, 3, 3) PTO_CALL(TCOLEXPANDSUB, 3, 3) PTO_CALL(TCOLEXPANDMUL, 3, 3)
PTO_CALL(TCOLEXPANDDIV, 3, 3) PTO_CALL(TCOLEXPANDMAX, 3, 3) PTO_CALL(TCOLEXPANDMIN, 3, 3) PTO_CALL(TCOLEXPANDEXPDIF, 3, 3)
PTO_CALL(TLOAD, 2, 2) PTO_CALL(TSTORE, 2, 3) PTO_CALL(TSTORE_FP, 3, 3) PTO_CALL(TPREFETCH, 2, 2) PTO_CALL(TMATMUL, 3, 3)
PTO_CALL(TMATMUL_ACC, 4, 4) PTO_CALL(TMATMUL_BIAS, 4, 4) PTO_CALL(TMATMUL_MX, 5, 6) PTO_CALL(TGEMV, 3, 3) PTO_CALL(TGEMV_ACC, 4, 4)
PTO_CALL(TGEMV_BIAS, 4, 4) PTO_CALL(TGEMV_MX, 5, 6) PTO_CALL(TGET_SCALE_ADDR, 2, 2) PTO_CALL(TMOV, 2, 3) PTO_CALL(TMOV_FP, 3, 3)
PTO_CALL(TEXTRACT, 4, 5) PTO_CALL(TEXTRACT_FP, 5, 5) PTO_CALL(TINSERT, 4, 5) PTO_CALL(TINSERT_FP, 5, 5) PTO_CALL(TTRANS, 3, 3)
PTO_CALL(TFILLPAD, 2, 2) PTO_CALL(TFILLPAD_INPLACE, 2, 2) PTO_CALL(TFILLPAD_EXPAND, 2, 2) PTO_CALL(TCONCAT, 3, 5)
PTO_CALL(TPACK, 2, 2) PTO_CALL(TSORT32, 3, 4)
PTO_CALL(TMRGSORT, 3, 7) PTO_CALL(TGATHER, 2, 6) PTO_CALL(TGATHERB, 3, 3) PTO_CALL(TSCATTER, 2, 3) PTO_CALL(THISTOGRAM, 3, 3)
PTO_CALL(TRANDOM, 3, 3) PTO_CALL(TPRINT, 1, 2) PTO_CALL(TRESHAPE, 2, 2) PTO_CALL(TSUBVIEW, 4, 4) PTO_CALL(TSYNC, 0, 8)
PTO_CALL(SET_QUANT_VECTOR, 1, 1)

// Calls whose types or values are stated in front.
template <auto, auto, typename... A> void MGATHER(A &&...);
template <auto, typename... A> void MGATHER(A &&...);
template <typename... A> void MSCATTER(A &&...);
template <auto, typename... A> void MSCATTER(A &&...);
template <auto, auto, typename... A> void MSCATTER(A &&...);
template <auto, auto, auto, typename... A> void MSCATTER(A &&...);
template <auto, auto, auto, auto, typename... A> void MSCATTER(A &&...);
template <typename S, typename D, auto, typename... A> void TSTORE(D &, S &, A &&...);
template <typename S, typename D, auto, auto, typename... A> void TSTORE(D &, S &, A &&...);
template <auto, typename S, typename D, auto, typename... A> void TSTORE(D &, S &, A &&...);
template <auto, typename S, typename D, auto, auto, typename... A> void TSTORE(D &, S &, A &&...);
template <typename S, typename D, typename F, auto, auto> void TSTORE_FP(D &, S &, F &);
template <typename D, typename S, auto, typename... A> void TMOV(D &, S &, A &&...);
template <typename D, typename S, auto, auto, typename... A> void TMOV(D &, S &, A &&...);
template <typename D, typename S, typename F, auto, auto> void TMOV(D &, S &, F &);
template <typename D, typename S, typename F, auto> void TMOV_FP(D &, S &, F &);
template <typename D, typename S, auto, typename... A> void TEXTRACT(D &, S &, A &&...);
template <typename D, typename S, auto, auto, typename... A> void TEXTRACT(D &, S &, A &&...);
template <typename D, typename S, typename F, auto, auto, typename... A> void TEXTRACT(D &, S &, F &, A &&...);
template <typename D, typename S, typename F, auto, typename... A> void TEXTRACT_FP(D &, S &, F &, A &&...);
template <typename D, typename S, auto, typename... A> void TINSERT(D &, S &, A &&...);
template <typename D, typename S, auto, auto, typename... A> void TINSERT(D &, S &, A &&...);
template <typename D, typename S, typename F, auto, auto, typename... A> void TINSERT(D &, S &, F &, A &&...);
template <typename D, typename S, typename F, auto, typename... A> void TINSERT_FP(D &, S &, F &, A &&...);
template <typename D, auto> void TFILLPAD(D &, D &);
template <typename D, typename T, int> void TCI(D &, T);
template <typename D, typename M, typename T, int> void TCI(D &, T, M &);
template <typename D, int> void TTRI(D &, int);
template <typename D, typename S, auto> void TGATHER(D &, S &);
template <typename D, typename S, auto, auto> void TGATHER(D &, S &);
template <typename D, typename S, typename K, typename C, typename T, auto> void TGATHER(D &, S &, K &, C &, T &, int);
template <auto, auto, typename D, typename S> void TSCATTER(D &, S &);
template <typename D, typename T, typename A, typename B, bool>
void TMRGSORT(D &, MrgSortExecutedNumList &, T &, A &, B &);
template <typename D, typename T, typename A, typename B, typename C, bool>
void TMRGSORT(D &, MrgSortExecutedNumList &, T &, A &, B &, C &);
template <typename D, typename T, typename A, typename B, typename C, typename E, bool>
void TMRGSORT(D &, MrgSortExecutedNumList &, T &, A &, B &, C &, E &);
// Tiles of one type.
template <typename D, typename M, typename T> void TSEL(D &, M &, D &, D &, T &);
template <typename D, typename S, typename P> void TDEQUANT(D &, S &, P &, P &);
template <typename D, typename S> void TINTERLEAVE(D &, D &, S &, S &);
template <typename D, typename S> void TDEINTERLEAVE(D &, D &, S &, S &);
template <typename D, typename S> void TDEINTERLEAVE(D &, D &, S &);
template <auto, typename D, typename S, typename P> void TQUANT(D &, S &, P &, P * = nullptr);
template <auto, typename D, typename S, typename P, typename T> void TQUANT(D &, S &, P &, T &, P * = nullptr);
template <auto, typename D, typename S, typename E, typename M, typename C> void TQUANT(D &, S &, E *, M *, C *);
template <auto, typename D, typename S, typename E, typename M, typename C, auto> void TQUANT(D &, S &, E *, M *, C *);
template <auto, auto, typename D, typename S, typename E, typename M, typename C> void TQUANT(D &, S &, E *, M *, C *, E *);
template <auto> void SYNCALL();
template <auto, auto, typename W, typename... A> void SYNCALL(W &, A...);
template <typename P, typename E, auto, typename... A> void TPUSH(P &, E &, A...);
template <typename P, typename E, typename C> void TPUSH(P &, E &);
template <typename T> void SET_QUANT_SCALAR(float);
template <typename M, auto> void SETFMATRIX(M &);
template <typename M, auto> void SET_IMG2COL_RPT(M &);
template <typename M, auto> void SET_IMG2COL_PADDING(M &);
template <typename D, typename M, auto> void TIMG2COL(D &, M &, uint16_t, uint16_t);
template <typename P, typename E, auto, typename... A> void TPOP(P &, E &, A...);
template <typename P, auto> void TFREE(P &);
template <typename P, typename E, auto> void TFREE(P &, E &);
template <typename P, typename E, auto> void TALLOC(P &, E &);

namespace comm {
enum class NotifyOp { AtomicAdd, Set };
enum class WaitCmp { EQ, NE, GT, GE, LT, LE };
enum class ReduceOp { Sum, Max, Min };
enum class DmaEngine { SDMA };
struct AsyncEvent {
    bool Wait(const AsyncSession &);
    bool Test(const AsyncSession &);
};
namespace sdma { struct SdmaBaseConfig { uint64_t bytes, offset; uint32_t queues; }; }
template <typename G> struct ParallelGroup { ParallelGroup(G *, int, int); };
PTO_CALL(TPUT, 3, 4) PTO_CALL(TGET, 3, 4) PTO_CALL(TGATHER, 3, 4) PTO_CALL(TSCATTER, 3, 4) PTO_CALL(TBROADCAST, 3, 4)
PTO_CALL(TREDUCE, 5, 6)
template <typename S> void TNOTIFY(S &, int32_t, NotifyOp);
template <typename S> void TWAIT(S &, int32_t, WaitCmp);
template <typename S> bool TTEST(S &, int32_t, WaitCmp);
template <DmaEngine, typename T>
bool BuildAsyncSession(T &, __gm__ uint8_t *, AsyncSession &, uint32_t, const sdma::SdmaBaseConfig &, uint32_t);
template <DmaEngine, typename D, typename S> AsyncEvent TPUT_ASYNC(D &, S &, const AsyncSession &);
template <DmaEngine, typename D, typename S> AsyncEvent TGET_ASYNC(D &, S &, const AsyncSession &);
} // namespace comm

template <typename G> comm::AsyncEvent TPREFETCH_ASYNC(G &, PrefetchAsyncContext &);

} // namespace pto
