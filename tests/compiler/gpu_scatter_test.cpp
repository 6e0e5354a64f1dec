// Scatters of every form on a GPU, as scatters of rows: run on the twin; none is left to the host.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

#include "arrays.h"
#include "twin_check.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;
using Dims = std::vector<std::int64_t>;

std::shared_ptr<const ir::Graph> replacing_body(DType dtype) {
  const Type element(dtype, {});
  return ir::make_graph(std::array{element, element},
                        [](ir::Graph&, std::span<const Value> x) { return std::vector{x[1]}; });
}

// Draws the dimensions of a scatter: windows of a part of the operand or all of it, at places that indices give, batches give, or that are the
// first ones; the updates' dimensions in any order.
class RandomScatter {
 public:
  explicit RandomScatter(std::uint32_t seed) : random_(seed) {
    const std::int64_t rank = 1 + below(4), scattered = below(3);
    Dims index_sizes, update_sizes;
    for (std::int64_t i = 0; i < scattered; ++i) index_sizes.push_back(1 + below(6));
    for (std::int64_t d = 0; d < rank; ++d) {
      operand_.push_back(1 + below(6));
      if (below(5) == 0) {
        batching_.push_back(d);
        of_batch_.push_back(std::ssize(index_sizes));
        index_sizes.push_back(operand_.back());
        continue;
      }
      const bool has_index = below(2) == 0;
      if (has_index) indexed_.push_back(d);
      if (below(2) == 0)
        inserted_.push_back(d);
      else
        windows_.push_back(below(2) == 0 ? operand_.back() : 1 + below(operand_.back()));
    }
    std::ranges::shuffle(indexed_, random_);
    const auto rank_of_updates = std::ssize(index_sizes) + std::ssize(windows_);
    Dims places(rank_of_updates);
    for (std::int64_t d = 0; d < rank_of_updates; ++d) places[d] = d;
    std::ranges::shuffle(places, random_);
    window_dims_.assign(places.begin(), places.begin() + std::ssize(windows_));
    std::ranges::sort(window_dims_);
    std::size_t window = 0, scatter = 0;
    for (std::int64_t d = 0; d < rank_of_updates; ++d)
      updates_.push_back(std::ranges::count(window_dims_, d) ? windows_[window++] : index_sizes[scatter++]);
    vector_dim_ = below(std::ssize(index_sizes) + 1);
    if (indexed_.size() == 1 && below(2) == 0)
      vector_dim_ = std::ssize(index_sizes);  // there is no such dimension
    else
      index_sizes.insert(index_sizes.begin() + vector_dim_, std::ssize(indexed_));
    for (std::int64_t& d : of_batch_) d += d >= vector_dim_ && vector_dim_ < std::ssize(index_sizes) ? 1 : 0;
    indices_ = index_sizes;
  }

  void check(DType dtype, DType index, const std::shared_ptr<const ir::Graph>& body) {
    const auto type = [](DType t, const Dims& sizes) { return Type(t, std::vector<Dim>(sizes.begin(), sizes.end())); };
    const Type types[] = {type(dtype, operand_), type(index, indices_), type(dtype, updates_)};
    SCOPED_TRACE(testing::Message() << types[0] << ' ' << types[1] << ' ' << types[2]);
    const auto graph = ir::make_graph(types, [&](ir::Graph&, std::span<const Value> in) {
      const ir::ScatterAttributes attributes{.update_window_dims = window_dims_,
                                             .inserted_window_dims = inserted_,
                                             .input_batching_dims = batching_,
                                             .scatter_indices_batching_dims = of_batch_,
                                             .scatter_dims_to_operand_dims = indexed_,
                                             .index_vector_dim = vector_dim_};
      return std::vector{ir::scatter(in[0], in[1], in[2], attributes, body)};
    });
    std::vector<Array> inputs;
    for (const Type t : types) inputs.push_back(test::random_array(t, inputs.size() + 1));
    visit(index, [&](auto tag) {
      using T = decltype(tag);
      if constexpr (std::is_integral_v<T>)
        for (T& x : inputs[1].template data<T>())
          x = static_cast<T>(std::is_signed_v<T> ? below(8) - 1 : below(8) == 0 ? -1 : below(7));
    });
    test::expect_all_on_gpu(*graph);
    test::check_on_twin(*graph, inputs);
  }

 private:
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }

  std::mt19937 random_;
  Dims operand_, indices_, updates_, windows_, window_dims_, inserted_, batching_, of_batch_, indexed_;
  std::int64_t vector_dim_ = 0;
};

TEST(GpuScatter, OfAnyForm) {
  for (std::uint32_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    const DType dtype = seed % 3 == 0 ? DType::i32 : seed % 3 == 1 ? DType::f32 : DType::bf16;
    const DType index = std::array{DType::i32, DType::i64, DType::u32, DType::u64, DType::i8}[seed % 5];
    const auto body = seed % 4 == 0   ? ir::reduction_body(ir::ops::add, dtype)
                      : seed % 4 == 1 ? ir::reduction_body(ir::ops::maximum, dtype)
                                      : replacing_body(dtype);
    RandomScatter(seed).check(dtype, index, body);
  }
}

}  // namespace
}  // namespace weft
