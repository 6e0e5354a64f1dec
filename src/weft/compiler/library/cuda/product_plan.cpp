#include <weft/compiler/library/cuda/product_plan.h>

#include <tuple>
#include <type_traits>

#include <weft/base/error.h>
#include <weft/compiler/library/recently_used.h>

namespace weft::compiler {

using cublaslt::Code;
using cublaslt::PreferenceAttribute;
using cublaslt::ProductAttribute;

namespace {

cublaslt::DataType lt_type(DType dtype) {
  switch (dtype) {
    case DType::f16: return cublaslt::DataType::f16;
    case DType::bf16: return cublaslt::DataType::bf16;
    case DType::f64: return cublaslt::DataType::f64;
    default: return cublaslt::DataType::f32;
  }
}

cublaslt::Epilogue epilogue_of(const GpuProduct& product) {
  if (product.applies_gelu) return product.adds_bias ? cublaslt::Epilogue::gelu_bias : cublaslt::Epilogue::gelu;
  return product.adds_bias ? cublaslt::Epilogue::bias : cublaslt::Epilogue::none;
}

const char* remedy(Code code, const GpuProduct& product) {
  switch (code) {
    case Code::not_supported:
      return product.adds_bias || product.adds_residual || product.applies_gelu
                 ? "; WEFT_FUSE=0 makes kernels of their own of what follows a product"
                 : "; WEFT_CUDA_LIBRARIES names the folder of another version of libcublasLt.so";
    case Code::not_initialized:
    case Code::alloc_failed: return "; WEFT_MEMORY_BYTES leaves more of the GPU's memory to the library";
    default: return "; it may be the work before it that failed: WEFT_SYNCHRONOUS=1 tells which";
  }
}

}  // namespace

template <class Object>
void GpuProductPlan::Destroy<Object>::operator()(Object* object) const {
  const cublaslt::Library& library = *cublaslt::library();
  if constexpr (std::is_same_v<Object*, cublaslt::Layout>) {
    library.destroy_layout(object);
  } else if constexpr (std::is_same_v<Object*, cublaslt::Description>) {
    library.destroy_description(object);
  } else {
    library.destroy_preference(object);
  }
}

void GpuProductPlan::check(Code code, const char* verb) const {
  if (code == Code::success) [[likely]]
    return;
  fail("cuBLASLt ", library_.version(), " cannot ", verb, " the product ", text_of(product_), ": ",
       library_.name_of(code), remedy(code, product_));
}

auto GpuProductPlan::layout(const GpuMatrix& matrix, DType dtype) const -> Owned<cublaslt::Layout> {
  cublaslt::Layout made = nullptr;
  check(library_.create_layout(&made, lt_type(dtype), matrix.rows, matrix.columns, matrix.leading), "describe");
  Owned<cublaslt::Layout> owned(made);
  if (product_.batch != 1) {
    const auto count = static_cast<std::int32_t>(product_.batch);
    check(library_.set_layout(made, cublaslt::LayoutAttribute::batch_count, &count, sizeof count), "describe");
    check(library_.set_layout(made, cublaslt::LayoutAttribute::batch_stride, &matrix.batch_stride,
                              sizeof matrix.batch_stride),
          "describe");
  }
  return owned;
}

void GpuProductPlan::set_bias(cublaslt::Description description, const void* address) const {
  check(library_.set_description(description, ProductAttribute::bias_pointer, &address, sizeof address), "describe");
}

auto GpuProductPlan::description() const -> Owned<cublaslt::Description> {
  const bool is_double = product_.operands == DType::f64;
  cublaslt::Description made = nullptr;
  check(library_.create_description(&made, is_double ? cublaslt::ComputeType::f64 : cublaslt::ComputeType::f32,
                                    is_double ? cublaslt::DataType::f64 : cublaslt::DataType::f32),
        "describe");
  Owned<cublaslt::Description> owned(made);
  const auto set = [&](ProductAttribute attribute, auto value) {
    check(library_.set_description(made, attribute, &value, sizeof value), "describe");
  };
  const auto operation = [](const GpuMatrix& matrix) {
    return matrix.transposed ? cublaslt::Operation::transposed : cublaslt::Operation::as_is;
  };
  set(ProductAttribute::transpose_a, operation(product_.a));
  set(ProductAttribute::transpose_b, operation(product_.b));
  set(ProductAttribute::epilogue, epilogue_of(product_));
  return owned;
}

// Returns the algorithms that the library proposes, the one that it expects to be the fastest first.
std::vector<GpuAlgorithm> GpuProductPlan::proposals(int most) const {
  cublaslt::Preference made = nullptr;
  check(library_.create_preference(&made), "describe");
  const Owned<cublaslt::Preference> preference(made);
  const auto set = [&](PreferenceAttribute attribute, auto value) {
    check(library_.set_preference(made, attribute, &value, sizeof value), "describe");
  };
  set(PreferenceAttribute::workspace_bytes, std::uint64_t{workspace_bytes});
  // Partial sums are never rounded to a result of 16 bits.
  set(PreferenceAttribute::reduction_schemes,
      product_.in_one_part ? cublaslt::ReductionScheme::none : cublaslt::ReductionScheme::in_compute_type);
  set(PreferenceAttribute::alignment_a, alignments_.a);
  set(PreferenceAttribute::alignment_b, alignments_.b);
  set(PreferenceAttribute::alignment_c, product_.adds_residual ? alignments_.residual : alignments_.result);
  set(PreferenceAttribute::alignment_d, alignments_.result);
  std::vector<cublaslt::Choice> choices(most);
  int count = 0;
  check(library_.choose(handle_, description_.get(), a_.get(), b_.get(), d_.get(), d_.get(), made, most, choices.data(),
                        &count),
        "choose an algorithm for");
  check(count == 0 ? Code::not_supported : choices[0].state, "find an algorithm for");
  std::vector<GpuAlgorithm> algorithms;
  for (int i = 0; i < count; ++i)
    if (choices[i].state == Code::success)
      algorithms.push_back({choices[i].algorithm, choices[i].workspace_bytes, i + 1});
  return algorithms;
}

GpuProductPlan::GpuProductPlan(const GpuProduct& product, const GpuAlignments& alignments,
                               const runtime::cuda::WorkQueue& queue, AlgorithmChoices* choices)
    : product_(product),
      alignments_(alignments),
      ordinal_(queue.ordinal),
      library_(cublaslt::loaded()),
      handle_(cublaslt::handle_of(ordinal_)),
      a_(layout(product.a, product.operands)),
      b_(layout(product.b, product.operands)),
      d_(layout(product.d, product.result)),
      description_(description()) {
  // The library only looks at the alignment of the bias.
  if (product_.adds_bias)
    set_bias(description_.get(), reinterpret_cast<const void*>(std::uintptr_t{alignments_.bias}));  // NOLINT
  algorithm_ = product.measured ? measured_algorithm(queue, *choices) : proposals(1)[0];
}

GpuProductPlan::~GpuProductPlan() = default;

void GpuProductPlan::run(const GpuAddresses& addresses, std::byte* workspace, CUstream_st* stream) const {
  if (!product_.adds_bias) return multiply(description_.get(), addresses, workspace, stream);
  if (busy_.test_and_set(std::memory_order_acquire)) {
    const auto another = description();
    set_bias(another.get(), addresses.bias);
    return multiply(another.get(), addresses, workspace, stream);
  }
  struct Release {
    std::atomic_flag& busy;
    ~Release() { busy.clear(std::memory_order_release); }
  } const release{busy_};
  set_bias(description_.get(), addresses.bias);
  multiply(description_.get(), addresses, workspace, stream);
}

Code GpuProductPlan::submit(cublaslt::Description description, const GpuAlgorithm& algorithm,
                            const GpuAddresses& addresses, std::byte* workspace, CUstream_st* stream) const {
  static constexpr float one = 1, zero = 0;
  static constexpr double one_double = 1, zero_double = 0;
  const bool is_double = product_.operands == DType::f64;
  const auto factor = [&](bool is_one) -> const void* {
    if (is_double) return is_one ? &one_double : &zero_double;
    return is_one ? &one : &zero;
  };
  return library_.multiply(handle_, description, factor(true), addresses.a, a_.get(), addresses.b, b_.get(),
                           factor(product_.adds_residual),
                           product_.adds_residual ? addresses.residual : addresses.result, d_.get(), addresses.result,
                           d_.get(), &algorithm.algorithm, workspace, algorithm.workspace_bytes, stream);
}

void GpuProductPlan::multiply(cublaslt::Description description, const GpuAddresses& addresses, std::byte* workspace,
                              CUstream_st* stream) const {
  check(submit(description, algorithm_, addresses, workspace, stream), "compute");
}

std::shared_ptr<const GpuProductPlan> gpu_plan_of(const GpuProduct& product, const GpuAlignments& alignments,
                                                  const runtime::cuda::WorkQueue& queue, AlgorithmChoices* choices) {
  using Key = std::tuple<GpuProduct, GpuAlignments, int>;
  constexpr std::size_t most_plans = 4096;
  // Never destroyed, because the library may be gone when the process ends.
  static auto* const kept = new RecentlyUsed<Key, GpuProductPlan>(most_plans);
  return kept->find(Key(product, alignments, queue.ordinal),
                    [&] { return std::make_shared<const GpuProductPlan>(product, alignments, queue, choices); });
}

}  // namespace weft::compiler
