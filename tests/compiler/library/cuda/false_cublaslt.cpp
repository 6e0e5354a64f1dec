#include <tests/compiler/library/cuda/false_cublaslt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <tests/runtime/cuda/false_driver.h>
#include <thread>
#include <utility>

#include <dlfcn.h>

#include <weft/base/half.h>

extern "C" weft::test::FalseCublasLt false_cublaslt_state;
weft::test::FalseCublasLt false_cublaslt_state;

namespace {

auto& state = false_cublaslt_state;

enum Status { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13, NOT_SUPPORTED = 15 };
enum DataType { R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14 };
enum ComputeType { COMPUTE_32F = 68, COMPUTE_64F = 70 };
constexpr std::uint32_t EPILOGUE_DEFAULT = 1, EPILOGUE_BIAS = 4, EPILOGUE_GELU = 32, EPILOGUE_GELU_BIAS = 36;

int the_handle = 0;

// Attributes of any object: values of at most 8 bytes, whose sizes are given by number. 0 bytes: there is no such attribute.
template <std::size_t N>
struct Attributes {
  std::uint64_t values[N]{};

  int set(const std::uint8_t (&sizes)[N], int attribute, const void* value, std::size_t bytes) {
    if (attribute < 0 || attribute >= static_cast<int>(N) || !value || sizes[attribute] == 0 ||
        sizes[attribute] != bytes)
      return INVALID_VALUE;
    values[attribute] = 0;
    std::memcpy(&values[attribute], value, bytes);
    return SUCCESS;
  }
};

// type, order, rows, columns, leading dimension, batch count, batch stride, plane offset, batch mode
constexpr std::uint8_t layout_sizes[] = {4, 4, 8, 8, 8, 4, 8, 8, 4};
// compute type, scale type, pointer mode, transposes of A, B and C, fill mode, epilogue, bias, -, batch stride of the bias
constexpr std::uint8_t description_sizes[] = {4, 4, 4, 4, 4, 4, 4, 4, 8, 0, 8};
// search mode, workspace, -, reduction schemes, -, alignments of A, B, C and D, waves, -, -, implementations
constexpr std::uint8_t preference_sizes[] = {4, 8, 0, 4, 0, 4, 4, 4, 4, 4, 0, 0, 8};

struct Layout : Attributes<std::size(layout_sizes)> {
  int type() const { return static_cast<int>(values[0]); }
  std::int64_t rows() const { return static_cast<std::int64_t>(values[2]); }
  std::int64_t columns() const { return static_cast<std::int64_t>(values[3]); }
  std::int64_t leading() const { return static_cast<std::int64_t>(values[4]); }
  std::int64_t batch() const { return static_cast<std::int64_t>(values[5]); }
  std::int64_t stride() const { return static_cast<std::int64_t>(values[6]); }
  std::int64_t at(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
    return matrix * stride() + column * leading() + row;
  }
};
struct Description : Attributes<std::size(description_sizes)> {
  int compute() const { return static_cast<int>(values[0]); }
  int scale() const { return static_cast<int>(values[1]); }
  bool transposes_a() const { return values[3] == 1; }
  bool transposes_b() const { return values[4] == 1; }
  std::uint32_t epilogue() const { return static_cast<std::uint32_t>(values[7]); }
  const void* bias() const { return reinterpret_cast<const void*>(values[8]); }
  bool adds_bias() const { return epilogue() == EPILOGUE_BIAS || epilogue() == EPILOGUE_GELU_BIAS; }
  bool applies_gelu() const { return epilogue() == EPILOGUE_GELU || epilogue() == EPILOGUE_GELU_BIAS; }
};
struct Preference : Attributes<std::size(preference_sizes)> {};

// An algorithm of the false library remembers the product for which it was chosen.
struct Algorithm {
  std::uint64_t proposal;  // its number, from 1 on, beside the magic number
  std::uint64_t a, b, c, d, bias, workspace, of;
};
constexpr std::uint64_t magic = 0x66616c736500, numbers = 0xff;
struct Choice {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Algorithm) == 64 && sizeof(Choice) == 96);

double load(const void* base, std::int64_t at, int type) {
  switch (type) {
    case R_64F: return static_cast<const double*>(base)[at];
    case R_32F: return static_cast<const float*>(base)[at];
    case R_16F: return static_cast<double>(static_cast<const weft::float16*>(base)[at]);
    default: return static_cast<double>(static_cast<const weft::bfloat16*>(base)[at]);
  }
}

void store(void* base, std::int64_t at, int type, double value) {
  switch (type) {
    case R_64F: static_cast<double*>(base)[at] = value; break;
    case R_32F: static_cast<float*>(base)[at] = static_cast<float>(value); break;
    case R_16F: static_cast<weft::float16*>(base)[at] = weft::float16(value); break;
    default: static_cast<weft::bfloat16*>(base)[at] = weft::bfloat16(value); break;
  }
}

std::uint64_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<std::uint64_t>(address) | 256;
  return bits & ~(bits - 1);
}

// The combinations of NVIDIA's table of supported types that have 16, 32 or 64 bits.
bool has_types(const Description& what, const Layout& a, const Layout& b, const Layout& c, const Layout& d) {
  if (a.type() != b.type() || c.type() != d.type()) return false;
  if (a.type() == R_64F)
    return what.compute() == COMPUTE_64F && what.scale() == R_64F && d.type() == R_64F &&
           what.epilogue() == EPILOGUE_DEFAULT;
  if (what.compute() != COMPUTE_32F || what.scale() != R_32F) return false;
  return d.type() == a.type() || (d.type() == R_32F && (a.type() == R_16F || a.type() == R_16BF));
}

int complaint(const Description& what, const Layout& a, const Layout& b, const Layout& c, const Layout& d) {
  const std::int64_t m = what.transposes_a() ? a.columns() : a.rows(), k = what.transposes_a() ? a.rows() : a.columns();
  const std::int64_t n = what.transposes_b() ? b.rows() : b.columns();
  if (k != (what.transposes_b() ? b.columns() : b.rows()) || m < 1 || n < 1 || k < 1) return INVALID_VALUE;
  for (const Layout* result : {&c, &d})
    if (result->rows() != m || result->columns() != n) return INVALID_VALUE;
  for (const Layout* each : {&a, &b, &c, &d}) {
    if (each->values[1] != 0 || each->values[8] != 0) return NOT_SUPPORTED;  // only by columns, only strided batches
    if (each->leading() < each->rows() || each->batch() != d.batch() || each->stride() < 0) return INVALID_VALUE;
    if (each->rows() > INT32_MAX || each->columns() > INT32_MAX) return INVALID_VALUE;
  }
  if (d.batch() < 1 || d.batch() > 65535) return NOT_SUPPORTED;
  if (d.batch() > 1 && d.stride() < d.leading() * (n - 1) + m) return INVALID_VALUE;  // matrices of the result overlap
  const std::uint32_t epilogue = what.epilogue();
  if (epilogue != EPILOGUE_DEFAULT && !what.adds_bias() && !what.applies_gelu()) return INVALID_VALUE;
  if (what.adds_bias() && !what.bias()) return INVALID_VALUE;
  return has_types(what, a, b, c, d) ? SUCCESS : NOT_SUPPORTED;
}

// Identifies a product: its algorithms are those of no other one.
std::uint64_t digest(const Description& what, const Layout& a, const Layout& b, const Layout& d) {
  std::uint64_t result = 1469598103934665603u;
  const auto add = [&](std::uint64_t value) { result = (result ^ value) * 1099511628211u; };
  for (const Layout* layout : {&a, &b, &d})
    for (const std::uint64_t value : layout->values) add(value);
  for (const int attribute : {0, 1, 3, 4, 7}) add(what.values[attribute]);
  return result;
}

// Returns the number of the proposal, or 0 if these bytes are no algorithm for the product.
int proposal_of(const Algorithm& algorithm, std::uint64_t product) {
  if ((algorithm.proposal & ~numbers) != magic || algorithm.of != product) return 0;
  const auto number = static_cast<int>(algorithm.proposal & numbers);
  return number <= weft::test::FalseCublasLt::most_proposals ? number : 0;
}

double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

// A function of the false driver, if this process has loaded it.
template <class Function>
Function* of_driver(const char* name) {
  void* const driver = ::dlopen(WEFT_FALSE_DRIVER, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  return driver ? reinterpret_cast<Function*>(::dlsym(driver, name)) : nullptr;
}

bool has_context() {
  auto* const current = of_driver<int(void**)>("cuCtxGetCurrent");
  void* context = nullptr;
  return !current || (current(&context) == 0 && context);
}

// Does the work in the stream's turn, or at once if there is no stream.
int submit(void* stream, std::function<void()> work) {
  if (!stream) {
    work();
    return SUCCESS;
  }
  auto* const launch = of_driver<int(void*, void (*)(void*), void*)>("cuLaunchHostFunc");
  if (!launch || !has_context()) return INVALID_VALUE;
  const auto run = [](void* given) {
    const std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()>*>(given));
    (*owned)();
  };
  return launch(stream, run, new std::function<void()>(std::move(work))) == 0 ? SUCCESS : EXECUTION_FAILED;
}

struct Factors {
  double product, added;
};
struct Addresses {
  const void *a, *b, *c, *bias;
  void* d;
};

void multiply(const Description& what, const Layout& a, const Layout& b, const Layout& c, const Layout& d,
              Factors factors, Addresses at) {
  using weft::runtime::cuda::from_false_gpu;
  at = {from_false_gpu(at.a), from_false_gpu(at.b), from_false_gpu(at.c), from_false_gpu(at.bias),
        from_false_gpu(at.d)};
  const std::int64_t terms = what.transposes_a() ? a.rows() : a.columns();
  for (std::int64_t matrix = 0; matrix < d.batch(); ++matrix) {
    for (std::int64_t column = 0; column < d.columns(); ++column) {
      for (std::int64_t row = 0; row < d.rows(); ++row) {
        double sum = 0;
        for (std::int64_t k = 0; k < terms; ++k) {
          const std::int64_t in_a = what.transposes_a() ? a.at(matrix, k, row) : a.at(matrix, row, k);
          const std::int64_t in_b = what.transposes_b() ? b.at(matrix, column, k) : b.at(matrix, k, column);
          sum += load(at.a, in_a, a.type()) * load(at.b, in_b, b.type());
        }
        double value = factors.product * sum;
        if (factors.added != 0) value += factors.added * load(at.c, c.at(matrix, row, column), c.type());
        if (what.adds_bias()) value += load(at.bias, row, d.type());
        if (what.applies_gelu()) value = gelu(value);
        store(at.d, d.at(matrix, row, column), d.type(), value);
      }
    }
  }
}

template <class Object>
int create(Object** made) {
  *made = new Object;
  ++state.objects;
  return SUCCESS;
}
template <class Object>
int destroy(Object* object) {
  delete object;
  --state.objects;
  return SUCCESS;
}

}  // namespace

extern "C" {

std::size_t cublasLtGetVersion() { return 130002; }
const char* cublasLtGetStatusName(int status) {
  switch (status) {
    case SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "";
  }
}

int cublasLtCreate(void** handle) {
  if (!has_context()) return NOT_INITIALIZED;
  *handle = &the_handle;
  return SUCCESS;
}

int cublasLtMatrixLayoutCreate(Layout** made, int type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t leading) {
  create(made);
  std::uint64_t(&values)[9] = (*made)->values;
  values[0] = static_cast<std::uint64_t>(type);
  values[2] = rows;
  values[3] = columns;
  values[4] = static_cast<std::uint64_t>(leading);
  values[5] = 1;
  return SUCCESS;
}
int cublasLtMatrixLayoutSetAttribute(Layout* layout, int attribute, const void* value, std::size_t bytes) {
  return layout->set(layout_sizes, attribute, value, bytes);
}
int cublasLtMatrixLayoutDestroy(Layout* layout) { return destroy(layout); }

int cublasLtMatmulDescCreate(Description** made, int compute, int scale) {
  create(made);
  (*made)->values[0] = static_cast<std::uint64_t>(compute);
  (*made)->values[1] = static_cast<std::uint64_t>(scale);
  (*made)->values[7] = EPILOGUE_DEFAULT;
  return SUCCESS;
}
int cublasLtMatmulDescSetAttribute(Description* what, int attribute, const void* value, std::size_t bytes) {
  return what->set(description_sizes, attribute, value, bytes);
}
int cublasLtMatmulDescDestroy(Description* what) { return destroy(what); }

int cublasLtMatmulPreferenceCreate(Preference** made) {
  create(made);
  (*made)->values[3] = 7;
  for (int i = 5; i <= 8; ++i) (*made)->values[i] = 256;
  return SUCCESS;
}
int cublasLtMatmulPreferenceSetAttribute(Preference* preference, int attribute, const void* value, std::size_t bytes) {
  if (preference->set(preference_sizes, attribute, value, bytes) != SUCCESS) return INVALID_VALUE;
  const std::uint64_t set = preference->values[attribute];
  return attribute >= 5 && attribute <= 8 && (set == 0 || (set & (set - 1)) != 0) ? INVALID_VALUE : SUCCESS;
}
int cublasLtMatmulPreferenceDestroy(Preference* preference) { return destroy(preference); }

int cublasLtMatmulAlgoGetHeuristic(void* handle, const Description* what, const Layout* a, const Layout* b,
                                   const Layout* c, const Layout* d, const Preference* preference, int most,
                                   Choice* choices, int* count) {
  if (handle != &the_handle) return NOT_INITIALIZED;
  if (most < 1) return INVALID_VALUE;
  *count = 0;
  if (const int status = complaint(*what, *a, *b, *c, *d)) return status;
  const auto& values = preference->values;
  const std::uint64_t workspace = values[1] < (1 << 20) ? 0 : 1 << 20;
  *count = std::min<int>(most, state.proposals);
  for (int i = 0; i < *count; ++i) {
    choices[i] = {};
    choices[i].algorithm = {magic | static_cast<std::uint64_t>(i + 1),
                            values[5],
                            values[6],
                            values[7],
                            values[8],
                            alignment_of(what->bias()),
                            workspace,
                            digest(*what, *a, *b, *d)};
    choices[i].workspace_bytes = workspace;
    choices[i].state = SUCCESS;
  }
  ++state.choices;
  state.schemes = values[3];
  state.alignment_a = values[5];
  state.alignment_b = values[6];
  state.alignment_d = values[8];
  return SUCCESS;
}

int cublasLtMatmulAlgoCheck(void* handle, const Description* what, const Layout* a, const Layout* b, const Layout* c,
                            const Layout* d, const Algorithm* algorithm, Choice* found) {
  if (handle != &the_handle) return NOT_INITIALIZED;
  if (const int status = complaint(*what, *a, *b, *c, *d)) return status;
  ++state.checks;
  const int proposal = proposal_of(*algorithm, digest(*what, *a, *b, *d));
  if (proposal == 0) return INVALID_VALUE;
  if (proposal == state.refused_by_check) return NOT_SUPPORTED;
  *found = {};
  found->algorithm = *algorithm;
  found->workspace_bytes = algorithm->workspace;
  return SUCCESS;
}

int cublasLtMatmul(void* handle, const Description* what, const void* alpha, const void* a, const Layout* a_layout,
                   const void* b, const Layout* b_layout, const void* beta, const void* c, const Layout* c_layout,
                   void* d, const Layout* d_layout, const Algorithm* algorithm, void* workspace,
                   std::size_t workspace_bytes, void* stream) {
  if (handle != &the_handle) return NOT_INITIALIZED;
  if (!alpha || !beta || !a || !b || !c || !d || !algorithm) return INVALID_VALUE;
  if (const int status = complaint(*what, *a_layout, *b_layout, *c_layout, *d_layout)) return status;
  const int proposal = proposal_of(*algorithm, digest(*what, *a_layout, *b_layout, *d_layout));
  if (proposal == 0) return INVALID_VALUE;
  if (proposal == state.refused_by_run) return NOT_SUPPORTED;
  if (workspace_bytes < algorithm->workspace) return INVALID_VALUE;
  if (algorithm->workspace && (!workspace || alignment_of(workspace) < 256)) return INVALID_VALUE;
  const Factors factors{load(alpha, 0, what->scale()), load(beta, 0, what->scale())};
  if (alignment_of(a) < algorithm->a || alignment_of(b) < algorithm->b || alignment_of(d) < algorithm->d)
    return INVALID_VALUE;
  if (factors.added != 0 && alignment_of(c) < algorithm->c) return INVALID_VALUE;
  if (what->adds_bias() && alignment_of(what->bias()) < algorithm->bias) return INVALID_VALUE;
  ++state.products;
  state.last_proposal = proposal;
  // Another thread that changes the bias of this description, which it may not, gets the time to do so.
  if (what->adds_bias()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  // The descriptions may be changed as soon as this function returns.
  return submit(
      stream, [=, what = *what, a_layout = *a_layout, b_layout = *b_layout, c_layout = *c_layout, d_layout = *d_layout,
               needs_workspace = algorithm->workspace != 0, seconds = state.seconds[proposal - 1].load()] {
        if (seconds != 0)
          of_driver<const weft::runtime::cuda::FalseDriver>("false_driver")
              ->advance(seconds * std::uint64_t{1'000'000'000});
        if (needs_workspace) std::memset(weft::runtime::cuda::from_false_gpu(workspace), 0xff, workspace_bytes);
        multiply(what, a_layout, b_layout, c_layout, d_layout, factors, {a, b, c, what.bias(), d});
      });
}

}  // extern "C"
