#include <weft/compiler/library/matmul_primitive.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>
#include <numeric>
#include <utility>

#include <weft/base/error.h>
#include <weft/base/hash.h>
#include <weft/compiler/library/recently_used.h>
#include <weft/runtime/parallel.h>
#include <weft/runtime/thread_scratch.h>

namespace weft::compiler {

namespace {

dnnl::algorithm algorithm_of(Activation activation) {
  switch (activation) {
    case Activation::tanh: return dnnl::algorithm::eltwise_tanh;
    case Activation::silu: return dnnl::algorithm::eltwise_swish;
    case Activation::gelu: return dnnl::algorithm::eltwise_gelu_erf;
    case Activation::gelu_tanh: return dnnl::algorithm::eltwise_gelu_tanh;
  }
  WEFT_ASSERT(false, "an activation of no algorithm");
}

dnnl::memory::dims row_major(const dnnl::memory::dims& dims) {
  dnnl::memory::dims strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  return strides;
}

dnnl::memory::dims numbers(const std::vector<Size>& sizes, std::initializer_list<Size> more = {}) {
  dnnl::memory::dims dims;
  for (const Size size : sizes) dims.push_back(size.value());
  for (const Size size : more) dims.push_back(size.value());
  return dims;
}

using ProductKey = std::vector<std::int64_t>;

ProductKey key_of(const Product& product) {
  const MatmulShape& shape = product.shape;
  const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
  ProductKey key = numbers(shape.batch, {shape.m, shape.n, shape.k});
  for (const auto& strides : {shape.lhs, shape.rhs})
    for (const Size stride : strides) key.push_back(stride.value());
  for (const DType dtype : {product.lhs, product.rhs, product.result}) key.push_back(number(dtype));
  for (const Product::Step& step : product.steps)
    key.insert(key.end(), {number(step.kind), number(step.activation), number(step.dtype)});
  key.insert(key.end(),
             {number(product.one_thread), number(product.packed), runtime::thread_count(), number(shape.batch.size())});
  return key;
}

constexpr std::size_t most_primitives = 1024;  // as many as oneDNN's own primitive cache keeps

class MatmulPrimitive final : public ProductPrimitive {
 public:
  explicit MatmulPrimitive(const DescribedProduct& described)
      : call_(dnnl::matmul(described.primitive), described.arguments), scratch_bytes_(described.scratch_bytes()) {}
  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  void run(std::span<std::byte* const> addresses) const override { call_.run(addresses); }

 private:
  onednn::Call call_;
  std::size_t scratch_bytes_;
};

// Computes long sums of products of rows, such as the gradient of a weight: lhs is read transposed, and the result is small. oneDNN's gemm
// reads such operands in place; its matmul first transposes lhs in memory, which takes up to a third of the time.
class GemmPrimitive final : public ProductPrimitive {
 public:
  static bool serves(const Product& product) {
    const MatmulShape& shape = product.shape;
    if (!shape.batch.empty() || product.lhs != DType::f32 || product.rhs != DType::f32 || product.result != DType::f32)
      return false;
    const auto adds_an_f32 = [](const Product::Step& step) {
      return step.kind == EpilogueStep::Kind::residual && step.dtype == DType::f32;
    };
    if (product.steps.size() > 1 || !std::ranges::all_of(product.steps, adds_an_f32)) return false;
    const std::int64_t m = shape.m.value(), n = shape.n.value(), k = shape.k.value();
    constexpr std::int64_t long_sum = 2;  // in multiples of the longer side of the result
    return shape.lhs[0].is(1) && shape.lhs[1].value() >= m && m > 1 && shape.rhs[1].is(1) &&
           shape.rhs[0].value() >= n && n > 1 && k >= long_sum * std::max(m, n);
  }

  explicit GemmPrimitive(const Product& product)
      : m_(product.shape.m.value()),
        n_(product.shape.n.value()),
        k_(product.shape.k.value()),
        lhs_stride_(product.shape.lhs[1].value()),
        rhs_stride_(product.shape.rhs[0].value()),
        adds_(!product.steps.empty()) {}
  std::size_t scratch_bytes() const override { return 0; }
  void run(std::span<std::byte* const> addresses) const override {
    const auto at = [&](std::size_t i) { return reinterpret_cast<float*>(addresses[i]); };
    float* const result = at(adds_ ? 3 : 2);
    if (adds_ && at(2) != result) std::memcpy(result, at(2), m_ * n_ * sizeof(float));
    dnnl::error::wrap_c_api(
        dnnl_sgemm('T', 'N', m_, n_, k_, 1, at(0), lhs_stride_, at(1), rhs_stride_, adds_ ? 1.0F : 0.0F, result, n_),
        "could not multiply matrices");
  }

 private:
  std::int64_t m_, n_, k_, lhs_stride_, rhs_stride_;
  bool adds_;
};

// Copies operands with gaps between rows and a transposed lhs, since oneDNN sums them in another order. There is at most one batch
// dimension.
class PackedPrimitive final : public ProductPrimitive {
 public:
  explicit PackedPrimitive(const Product& product) {
    const MatmulShape& from = product.shape;
    const dnnl::memory::dims lhs = numbers(from.batch, {from.m, from.k}), rhs = numbers(from.batch, {from.k, from.n});
    const bool is_turned = lies(rhs, numbers(from.rhs), turned(rhs));
    pack(0, lhs, numbers(from.lhs), product.lhs);
    if (!is_turned) pack(1, rhs, numbers(from.rhs), product.rhs);

    Product dense = product;
    MatmulShape& shape = dense.shape;
    shape.batch.clear();
    shape.lhs = {from.k, 1};
    shape.rhs = is_turned ? std::vector<Size>{1, from.k} : std::vector<Size>{from.n, 1};
    if (!from.batch.empty()) {
      shape.batch = {std::accumulate(from.batch.begin(), from.batch.end(), Size(1), std::multiplies{})};
      shape.lhs.insert(shape.lhs.begin(), from.m * from.k);
      shape.rhs.insert(shape.rhs.begin(), from.k * from.n);
    }
    const auto described = describe(dense);
    require(described.has_value(), "no matrix product of this kind");
    product_ = std::make_unique<MatmulPrimitive>(*described);
  }

  std::size_t scratch_bytes() const override { return packed_bytes_ + product_->scratch_bytes(); }
  void run(std::span<std::byte* const> addresses) const override {
    std::array<std::byte*, most_operands> dense{};
    const auto scratch = std::ranges::copy(addresses, dense.begin()).out - 1;
    for (const Copy& copy : copies_) {
      dense[copy.operand] = *scratch + copy.offset;
      copy.call->run(std::array{addresses[copy.operand], dense[copy.operand]});
    }
    *scratch += packed_bytes_;
    product_->run(std::span(dense).first(addresses.size()));
  }

 private:
  using Dims = dnnl::memory::dims;
  struct Copy {
    std::size_t operand, offset;  // in the scratch memory
    std::unique_ptr<onednn::Call> call;
  };

  static Dims turned(Dims dims) {  // strides of matrices whose columns are contiguous
    std::swap(dims.end()[-1], dims.end()[-2]);
    Dims strides = row_major(dims);
    std::swap(strides.end()[-1], strides.end()[-2]);
    return strides;
  }
  static bool lies(const Dims& dims, const Dims& strides, const Dims& wanted) {
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (dims[d] != 1 && strides[d] != wanted[d]) return false;
    return true;
  }

  void pack(std::size_t operand, const Dims& dims, const Dims& strides, DType dtype) {
    if (lies(dims, strides, row_major(dims))) return;
    const auto type = *onednn::data_type(dtype);
    const dnnl::memory::desc from(dims, type, strides), to(dims, type, row_major(dims));
    copies_.push_back({operand, packed_bytes_,
                       std::make_unique<onednn::Call>(
                           dnnl::reorder(dnnl::reorder::primitive_desc(onednn::engine(), from, onednn::engine(), to)),
                           std::vector<onednn::Call::Argument>{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}})});
    constexpr std::size_t line = 64;
    packed_bytes_ += (to.get_size() + line - 1) / line * line;
  }

  std::vector<Copy> copies_;
  std::size_t packed_bytes_ = 0;
  std::unique_ptr<MatmulPrimitive> product_;
};

// Returns how many bytes each operand of a product spans, the result last.
std::vector<std::size_t> operand_bytes(const Product& product) {
  const MatmulShape& shape = product.shape;
  const auto extent = [](const dnnl::memory::dims& sizes, const std::vector<Size>& strides) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * strides[d].value();
    return last + 1;
  };
  const auto bytes = [](std::int64_t elements, DType dtype) {
    return static_cast<std::size_t>(elements * byte_size(dtype));
  };
  const auto result = numbers(shape.batch, {shape.m, shape.n});
  const std::int64_t elements = std::accumulate(result.begin(), result.end(), std::int64_t{1}, std::multiplies{});
  std::vector<std::size_t> all{bytes(extent(numbers(shape.batch, {shape.m, shape.k}), shape.lhs), product.lhs),
                               bytes(extent(numbers(shape.batch, {shape.k, shape.n}), shape.rhs), product.rhs)};
  for (const Product::Step& step : product.steps)
    if (step.kind != EpilogueStep::Kind::activation)
      all.push_back(bytes(step.kind == EpilogueStep::Kind::bias ? shape.n.value() : elements, step.dtype));
  all.push_back(bytes(elements, product.result));
  return all;
}

// Memory with the alignment of device memory, so that oneDNN takes the same code path as in a program.
class Bytes {
 public:
  explicit Bytes(std::size_t size) : size_(size), lines_((size + sizeof(Line) - 1) / sizeof(Line)) {}
  std::byte* data() { return reinterpret_cast<std::byte*>(lines_.data()); }
  std::size_t size() const { return size_; }
  bool operator==(const Bytes&) const = default;

 private:
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes{};
    bool operator==(const Line&) const = default;
  };
  std::size_t size_;
  std::vector<Line> lines_;
};

// Fills with numbers in (-1, 1) with all mantissa bits used, so that sums in different orders differ.
void fill(Bytes& bytes, DType dtype, std::uint64_t seed) {
  const std::size_t size = byte_size(dtype);
  for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
    const auto number = static_cast<float>(static_cast<std::int64_t>(mix(seed, i)) * 0x1p-63);
    std::array<std::byte, sizeof number> its_bytes = std::bit_cast<decltype(its_bytes)>(number);
    std::memcpy(bytes.data() + i, its_bytes.data() + (sizeof number - size), size);  // bf16 is the upper half of an f32
  }
}

// Makes the second half of each sum repeat the first half, negated if `negates`, and sets the last element of an odd count to zero. Sums of
// numbers that cancel consist only of rounding errors, so different orders give different results even after rounding to bf16.
void repeat_half(Bytes& bytes, DType dtype, const dnnl::memory::dims& sizes, const std::vector<Size>& strides,
                 std::size_t summed, bool negates) {
  const std::size_t size = byte_size(dtype);
  const std::int64_t half = sizes[summed] / 2;
  dnnl::memory::dims at(sizes.size());
  const std::int64_t count = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies{});
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * strides[d].value();
    std::byte* const element = bytes.data() + offset * size;
    if (at[summed] == 2 * half) {
      std::memset(element, 0, size);
    } else if (at[summed] >= half) {
      std::memcpy(element, element - half * strides[summed].value() * static_cast<std::ptrdiff_t>(size), size);
      if (negates) element[size - 1] ^= std::byte{0x80};
    }
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == sizes[d];) at[d] = 0;
  }
}

Bytes result_of(const ProductPrimitive& primitive, std::span<Bytes> operands) {
  Bytes scratch(primitive.scratch_bytes());
  std::vector<std::byte*> addresses;
  for (Bytes& operand : operands) addresses.push_back(operand.data());
  addresses.push_back(scratch.data());
  std::memset(operands.back().data(), 0, operands.back().size());
  primitive.run(addresses);
  return operands.back();
}

// Runs a product on one thread while other programs need the CPUs, if that gives the same bits: oneDNN may split a long sum among threads.
// Whether it does is not documented, so it is tried once, on numbers of this product's sizes.
class SharingPrimitive final : public ProductPrimitive {
 public:
  SharingPrimitive(Product product, std::shared_ptr<const ProductPrimitive> all_threads)
      : product_(std::move(product)), all_threads_(std::move(all_threads)) {}

  // Products that take longer than waking threads, or more memory than a trial is worth, keep their threads.
  static bool serves(const Product& product) {
    constexpr std::size_t most_bytes = std::size_t{64} << 20;
    constexpr double most_multiplications = 1e9;
    const MatmulShape& shape = product.shape;
    double multiplications = 1;
    for (const std::int64_t size : numbers(shape.batch, {shape.m, shape.n, shape.k})) multiplications *= size;
    const std::vector<std::size_t> bytes = operand_bytes(product);
    return multiplications <= most_multiplications &&
           std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}) <= most_bytes;
  }

  std::size_t scratch_bytes() const override { return all_threads_->scratch_bytes(); }

  void run(std::span<std::byte* const> addresses) const override {
    const ProductPrimitive* const single = runtime::threads_now() == 1 ? one_thread() : nullptr;
    if (!single) return all_threads_->run(addresses);
    const runtime::SingleThread one;
    std::array<std::byte*, most_operands> with_scratch{};
    const auto scratch = std::ranges::copy(addresses, with_scratch.begin()).out - 1;
    *scratch = runtime::scratch_of_this_thread(single->scratch_bytes());
    single->run(std::span(with_scratch).first(addresses.size()));
  }

 private:
  // Returns nullptr if one thread would give other bits, or if there is not enough memory for the trial.
  const ProductPrimitive* one_thread() const {
    std::call_once(tried_, [&] {
      try {
        one_thread_ = try_one_thread();
      } catch (const std::bad_alloc&) {
      }
    });
    return one_thread_.get();
  }

  std::shared_ptr<const ProductPrimitive> try_one_thread() const {
    Product alone = product_;
    alone.one_thread = true;
    auto primitive = primitive_of(alone);
    std::vector<Bytes> operands;
    for (const std::size_t bytes : operand_bytes(product_)) operands.emplace_back(bytes);
    fill_operands(operands);
    const auto gives_same_bits = [&] {
      const Bytes expected = result_of(*all_threads_, operands);
      const runtime::SingleThread one;
      return result_of(*primitive, operands) == expected;
    };
    if (!gives_same_bits()) return nullptr;
    cancel_sums(operands);
    return gives_same_bits() ? primitive : nullptr;
  }

  void cancel_sums(std::span<Bytes> operands) const {
    const MatmulShape& shape = product_.shape;
    const std::size_t batch = shape.batch.size();
    repeat_half(operands[0], product_.lhs, numbers(shape.batch, {shape.m, shape.k}), shape.lhs, batch + 1, true);
    repeat_half(operands[1], product_.rhs, numbers(shape.batch, {shape.k, shape.n}), shape.rhs, batch, false);
    for (Bytes& added : operands.subspan(2)) std::memset(added.data(), 0, added.size());
  }

  void fill_operands(std::span<Bytes> operands) const {
    std::vector<DType> dtypes{product_.lhs, product_.rhs};
    for (const Product::Step& step : product_.steps)
      if (step.kind != EpilogueStep::Kind::activation) dtypes.push_back(step.dtype);
    for (std::size_t i = 0; i < dtypes.size(); ++i) fill(operands[i], dtypes[i], i);
  }

  Product product_;
  std::shared_ptr<const ProductPrimitive> all_threads_;
  mutable std::once_flag tried_;
  mutable std::shared_ptr<const ProductPrimitive> one_thread_;
};

// Describes an operand, of which a stride of 0 repeats the matrices along a dimension of the batch: oneDNN repeats those of a dimension of
// size 1, and has only slow code for a stride of 0.
dnnl::memory::desc repeated_in_batch(dnnl::memory::dims sizes, dnnl::memory::dims strides,
                                     dnnl::memory::data_type type) {
  std::int64_t extent = 1;  // of the dimensions within
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (strides[d] == 0 && d + 2 < sizes.size()) {
      sizes[d] = 1;
      strides[d] = extent;
    }
    extent += (sizes[d] - 1) * strides[d];
  }
  return {sizes, type, strides};
}

}  // namespace

std::optional<DescribedProduct> describe(const Product& product) {
  const MatmulShape& shape = product.shape;
  const dnnl::memory::dims lhs = numbers(shape.batch, {shape.m, shape.k}),
                           rhs = numbers(shape.batch, {shape.k, shape.n}),
                           result = numbers(shape.batch, {shape.m, shape.n}),
                           row = numbers(std::vector<Size>(shape.batch.size() + 1, 1), {shape.n});
  const auto type_of = [](DType dtype) { return *onednn::data_type(dtype); };
  const dnnl::memory::desc lhs_type = repeated_in_batch(lhs, numbers(shape.lhs), type_of(product.lhs)),
                           rhs_type = repeated_in_batch(rhs, numbers(shape.rhs), type_of(product.rhs)),
                           result_type(result, type_of(product.result), row_major(result));

  std::vector<onednn::Call::Argument> steps;
  dnnl::memory::desc bias;
  dnnl::post_ops post_ops;
  for (const Product::Step& step : product.steps) {
    if (step.kind == EpilogueStep::Kind::activation) {
      post_ops.append_eltwise(1, algorithm_of(step.activation), step.activation == Activation::silu ? 1 : 0, 0);
      continue;
    }
    const auto& dims = step.kind == EpilogueStep::Kind::bias ? row : result;
    const dnnl::memory::desc operand(dims, type_of(step.dtype), row_major(dims));
    // A bias that comes first is a separate argument; all other steps are post-ops.
    if (step.kind == EpilogueStep::Kind::bias && &step == product.steps.data()) {
      bias = operand;
      steps.emplace_back(DNNL_ARG_BIAS, operand);
    } else {
      steps.emplace_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(post_ops.len()) | DNNL_ARG_SRC_1, operand);
      post_ops.append_binary(dnnl::algorithm::binary_add, operand);
    }
  }
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(post_ops);
  DescribedProduct described;
  described.primitive = dnnl::matmul::primitive_desc(dnnl::matmul::desc(lhs_type, rhs_type, bias, result_type),
                                                     attributes, onednn::engine(), true);
  if (!described.primitive) return std::nullopt;
  auto& arguments = described.arguments;
  arguments = {{DNNL_ARG_SRC, described.primitive.src_desc()}, {DNNL_ARG_WEIGHTS, described.primitive.weights_desc()}};
  arguments.insert(arguments.end(), steps.begin(), steps.end());
  arguments.emplace_back(DNNL_ARG_DST, described.primitive.dst_desc());
  arguments.emplace_back(DNNL_ARG_SCRATCHPAD, described.primitive.scratchpad_desc());
  return described;
}

static std::shared_ptr<const ProductPrimitive> make_primitive(const Product& product) {
  if (product.packed) return std::make_shared<PackedPrimitive>(product);
  if (GemmPrimitive::serves(product)) return std::make_shared<GemmPrimitive>(product);
  const auto described = describe(product);
  require(described.has_value(), "no matrix product of this kind");
  return std::make_shared<MatmulPrimitive>(*described);
}

std::shared_ptr<const ProductPrimitive> primitive_of(const Product& product) {
  // oneDNN divides a product among as many threads as there are when it is described and made.
  runtime::adopt_thread_count();
  const auto one = product.one_thread ? std::make_optional<runtime::SingleThread>() : std::nullopt;
  static RecentlyUsed<ProductKey, ProductPrimitive> kept(most_primitives);
  return kept.find(key_of(product), [&]() -> std::shared_ptr<const ProductPrimitive> {
    auto primitive = make_primitive(product);
    if (product.one_thread || runtime::thread_count() == 1 || !SharingPrimitive::serves(product)) return primitive;
    return std::make_shared<SharingPrimitive>(product, std::move(primitive));
  });
}

}  // namespace weft::compiler
