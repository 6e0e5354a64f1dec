#include <weft/compiler/thunks/tree_fold.h>

#include <array>
#include <cstring>
#include <utility>

#include <weft/ir/builder.h>

namespace weft::compiler {

namespace {

// Returns the body for partial results: in f32 for 16-bit floats, if it is a single op and so does not depend on the dtype.
const ir::Graph& wide_body(const ir::Graph& body, DType dtype) {
  const ir::Op* op = ir::reduction_op(body);
  return op && (dtype == DType::f16 || dtype == DType::bf16) ? *ir::reduction_body(*op, DType::f32) : body;
}

std::shared_ptr<const ir::Graph> conversion(DType from, DType to) {
  const Type types[] = {Type(from, {})};
  return ir::make_graph(
      types, [&](ir::Graph&, std::span<const ir::Value> x) { return std::vector<ir::Value>{ir::convert(x[0], to)}; });
}

void apply(const Body& body, std::int64_t count, std::span<std::byte* const> buffers) {
  std::array<std::int64_t, 3> none{};
  body.apply(1, count, buffers.data(), none.data(), body.widths().data());
}

}  // namespace

TreeFold::TreeFold(const ir::Graph& body, DType dtype, const NativeContext& context)
    : width_(byte_size(dtype)), combine_(wide_body(body, dtype), context) {
  const DType wide = wide_body(body, dtype).inputs()[0].dtype();
  wide_width_ = byte_size(wide);
  if (wide == dtype) return;
  widen_ = std::make_unique<Body>(*conversion(dtype, wide), context);
  narrow_ = std::make_unique<Body>(*conversion(wide, dtype), context);
}

// The partial results of one call, in the order of the arrays; the first ones are of the most arrays.
class TreeFold::Run {
 public:
  Run(const TreeFold& fold, std::int64_t count, Buffers& free) : fold_(fold), count_(count), free_(free) {}

  void add_array(const std::byte* array) {
    if (!fold_.widen_) return add_partial(array);
    Buffer own = take();
    apply(*fold_.widen_, count_, std::array{const_cast<std::byte*>(array), own.get()});
    std::byte* const at = own.get();
    add({0, at, std::move(own)});
  }
  void add_partial(const std::byte* partial) { add({0, const_cast<std::byte*>(partial), {}}); }

  void finish_partial(std::byte* result) { finish(result, nullptr); }
  void finish(std::byte* result) { finish(result, fold_.narrow_.get()); }

 private:
  using Buffer = std::unique_ptr<std::byte[]>;
  struct Partial {
    int level;
    std::byte* at;
    Buffer own;  // null while it is one of the arrays
  };

  void add(Partial next) {
    while (!partials_.empty() && partials_.back().level == next.level) next = combined(pop(), std::move(next));
    partials_.push_back(std::move(next));
  }

  void finish(std::byte* result, const Body* narrow) {
    while (partials_.size() > 1) {
      Partial last = pop();
      partials_.push_back(combined(pop(), std::move(last)));
    }
    std::byte* const sum = partials_[0].at;
    if (narrow)
      apply(*narrow, count_, std::array{sum, result});
    else if (sum != result)
      std::memcpy(result, sum, count_ * fold_.wide_width_);
    if (partials_[0].own) free_.push_back(std::move(partials_[0].own));
  }

  Partial pop() {
    Partial last = std::move(partials_.back());
    partials_.pop_back();
    return last;
  }

  Partial combined(Partial a, Partial b) {
    Buffer into = a.own ? std::move(a.own) : b.own ? std::move(b.own) : take();
    apply(fold_.combine_, count_, std::array{a.at, b.at, into.get()});
    if (b.own) free_.push_back(std::move(b.own));
    std::byte* const at = into.get();
    return {a.level + 1, at, std::move(into)};
  }

  Buffer take() {
    if (free_.empty()) return std::make_unique_for_overwrite<std::byte[]>(most_elements * fold_.wide_width_);
    Buffer buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }

  const TreeFold& fold_;
  std::int64_t count_;
  std::vector<Partial> partials_;
  Buffers& free_;
};

void TreeFold::run(std::span<const std::byte* const> arrays, std::byte* result, std::int64_t count,
                   Buffers& buffers) const {
  Run run(*this, count, buffers);
  for (const std::byte* array : arrays) run.add_array(array);
  run.finish(result);
}

void TreeFold::run_first(std::span<const std::byte* const> arrays, std::byte* partial, std::int64_t count,
                         Buffers& buffers) const {
  Run run(*this, count, buffers);
  for (const std::byte* array : arrays) run.add_array(array);
  run.finish_partial(partial);
}

void TreeFold::run_second(std::span<const std::byte* const> partials, std::byte* result, std::int64_t count,
                          Buffers& buffers) const {
  Run run(*this, count, buffers);
  for (const std::byte* partial : partials) run.add_partial(partial);
  run.finish(result);
}

}  // namespace weft::compiler
