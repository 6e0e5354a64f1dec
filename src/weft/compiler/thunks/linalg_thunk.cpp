#include <weft/compiler/thunks/linalg_thunk.h>

#include <algorithm>
#include <cstring>

#include <weft/compiler/thunks/native_context.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// Matrices so large that their work is worth a thread each.
constexpr std::int64_t work_per_task = 32768;

std::int64_t tasks_per_thread(std::int64_t work) {
  return std::max<std::int64_t>(1, work_per_task / std::max<std::int64_t>(1, work));
}

class CholeskyThunk final : public runtime::Thunk {
 public:
  CholeskyThunk(Type type, bool lower, const Slice& from, const Slice& to)
      : type_(type), lower_(lower), from_(from), to_(to) {}

  void run(const runtime::Launch& launch) const override {
    const std::int64_t n = type_.size(type_.rank() - 1);
    if (type_.elements() == 0) return;
    visit(type_.dtype(), [&]<class T>(T) {
      const T* from = launch.at<T>(from_);
      T* to = launch.at<T>(to_);
      runtime::parallel_for(type_.elements() / (n * n), tasks_per_thread(n * n * n),
                            [&](std::int64_t begin, std::int64_t end) {
                              for (std::int64_t i = begin; i < end; ++i)
                                cholesky_factor(from + i * n * n, to + i * n * n, n, lower_);
                            });
    });
  }

 private:
  Type type_;
  bool lower_;
  Slice from_, to_;
};

class TriangularSolveThunk final : public runtime::Thunk {
 public:
  TriangularSolveThunk(DType dtype, const ir::TriangularLayout& layout, const Slice& a, const Slice& b, const Slice& x)
      : dtype_(dtype), layout_(layout), a_(a), b_(b), x_(x) {}

  void run(const runtime::Launch& launch) const override {
    const std::int64_t n = layout_.system.size, count = layout_.batch * layout_.vectors;
    if (count * n == 0) return;
    visit(dtype_, [&]<class T>(T) {
      const T* a = launch.at<T>(a_);
      T* x = launch.at<T>(x_);
      if (const T* b = launch.at<T>(b_); b != x) std::memcpy(x, b, static_cast<std::size_t>(count * n) * sizeof(T));
      runtime::parallel_for(count, tasks_per_thread(n * n), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t matrix = i / layout_.vectors, vector = i % layout_.vectors;
          layout_.system.solve(a + matrix * n * n, x + matrix * layout_.vectors * n + vector * layout_.start,
                               layout_.stride);
        }
      });
    });
  }

 private:
  DType dtype_;
  ir::TriangularLayout layout_;
  Slice a_, b_, x_;
};

}  // namespace

Unit cholesky_unit(const ir::Node& node) {
  Unit unit = unit_of(node);
  unit.info.category = "linear algebra";
  const bool lower = node.attributes<ir::CholeskyAttributes>().lower;
  unit.thunk().make = [type = node.type(), lower](std::span<const Slice> reads, std::span<const Slice> writes,
                                                  const Slice&) {
    return std::make_unique<CholeskyThunk>(type, lower, reads[0], writes[0]);
  };
  return unit;
}

Unit triangular_solve_unit(const ir::Node& node) {
  Unit unit = unit_of(node);
  unit.info.category = "linear algebra";
  if (unit.reads[0] != unit.reads[1]) unit.in_place = {{0, 1}};
  const auto layout =
      ir::triangular_layout(node.attributes<ir::TriangularSolveAttributes>(), node.operand(0).type(), node.type());
  unit.thunk().make = [dtype = node.type().dtype(), layout](std::span<const Slice> reads, std::span<const Slice> writes,
                                                            const Slice&) {
    return std::make_unique<TriangularSolveThunk>(dtype, layout, reads[0], reads[1], writes[0]);
  };
  return unit;
}

}  // namespace weft::compiler
