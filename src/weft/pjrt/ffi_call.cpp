#include <weft/pjrt/ffi_call.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <weft/base/error.h>
#include <weft/ir/host_function.h>
#include <weft/pjrt/ffi_api.h>
#include <weft/pjrt/ffi_config.h>
#include <weft/pjrt/ffi_types.h>
#include <weft/runtime/foreign_threads.h>

namespace weft::pjrt::ffi {

namespace {

// Programs call a function with few different configurations, which are read once.
const CallConfig& config_of(std::string_view text) {
  static std::mutex mutex;
  static auto* const configs = new std::map<std::string, std::unique_ptr<const CallConfig>, std::less<>>;
  const std::lock_guard lock(mutex);
  auto found = configs->find(text);
  if (found == configs->end()) found = configs->emplace(text, std::make_unique<const CallConfig>(text)).first;
  return *found->second;
}

// A tensor as the function sees it, complex numbers in one piece. Its elements are in the order of its layout, here as in the program.
struct Tensor {
  DType dtype = DType::f32;  // of the parts, if it is complex
  bool is_complex = false;
  std::vector<std::int64_t> dims;
  std::byte* parts[2] = {};
  std::byte* bytes = nullptr;        // as the function sees them
  std::unique_ptr<std::byte[]> own;  // holds these bytes, unless they are those of the part

  std::size_t part_width() const { return static_cast<std::size_t>(byte_size(dtype)); }
  std::size_t width() const { return part_width() * (is_complex ? 2 : 1); }
  std::size_t elements() const {
    std::size_t count = 1;
    for (const std::int64_t dim : dims) count *= static_cast<std::size_t>(dim);
    return count;
  }
  std::size_t size() const { return width() * elements(); }

  // Copies the parts to `bytes`.
  void gather_parts() const {
    if (!is_complex)
      std::memcpy(bytes, parts[0], size());
    else
      part_width() == 4 ? interleave<float>() : interleave<double>();
  }
  // Copies `bytes` to the parts.
  void scatter_parts() const { part_width() == 4 ? separate<float>() : separate<double>(); }

 private:
  template <class T>
  void interleave() const {
    T* to = reinterpret_cast<T*>(bytes);
    for (std::size_t i = 0; i < elements(); ++i)
      for (const std::byte* part : parts) *to++ = reinterpret_cast<const T*>(part)[i];
  }
  template <class T>
  void separate() const {
    const T* from = reinterpret_cast<const T*>(bytes);
    for (std::size_t i = 0; i < elements(); ++i)
      for (std::byte* part : parts) reinterpret_cast<T*>(part)[i] = *from++;
  }
};

// Returns the dimensions of a tensor whose elements lie in the order of the layout (the densest dimension first; empty: row-major).
std::vector<std::int64_t> dims_of(Type in_memory, const std::vector<std::int64_t>& layout) {
  const std::size_t rank = static_cast<std::size_t>(in_memory.rank());
  std::vector<std::int64_t> dims(rank);
  for (std::size_t d = 0; d < rank; ++d)
    dims[layout.empty() ? d : static_cast<std::size_t>(layout[rank - 1 - d])] = in_memory.size(static_cast<int>(d));
  return dims;
}

// Takes the tensors of a call in turn, one or two buffers for each.
template <class HostTensor>
std::vector<Tensor> tensors_of(std::span<const HostTensor> buffers, const std::vector<std::int64_t>& complex,
                               const std::vector<std::vector<std::int64_t>>& layouts) {
  std::vector<Tensor> tensors;
  for (std::size_t at = 0; at < buffers.size(); ++at) {
    Tensor& tensor = tensors.emplace_back();
    const std::size_t index = tensors.size() - 1;
    const Type type = buffers[at].type;
    tensor.dtype = type.dtype();
    tensor.dims = dims_of(type, index < layouts.size() ? layouts[index] : std::vector<std::int64_t>());
    tensor.parts[0] = const_cast<std::byte*>(buffers[at].bytes);
    if (std::ranges::binary_search(complex, static_cast<std::int64_t>(index))) {
      tensor.is_complex = true;
      tensor.parts[1] = const_cast<std::byte*>(buffers[++at].bytes);
    }
  }
  return tensors;
}

// Gives a tensor memory of its own if the function cannot work on its part.
void place(Tensor& tensor) {
  if (!tensor.is_complex) {
    tensor.bytes = tensor.parts[0];
  } else {
    tensor.own = std::make_unique_for_overwrite<std::byte[]>(tensor.size());
    tensor.bytes = tensor.own.get();
  }
}

void place_all(std::vector<Tensor>& operands, std::vector<Tensor>& results, const CallConfig& config) {
  for (Tensor& result : results) place(result);
  for (const CallConfig::Alias& alias : config.aliases)
    operands.at(alias.operand).bytes = results.at(alias.result).bytes;
  for (Tensor& operand : operands) {
    if (operand.dtype == DType::token) continue;
    const bool is_alias = operand.bytes != nullptr;
    if (!is_alias) place(operand);
    if (operand.bytes != operand.parts[0]) operand.gather_parts();
  }
}

// The arrays of pointers of which a call's arguments consist.
struct Frame {
  std::vector<Buffer> buffers;
  std::vector<void*> pointers;
  std::vector<int> types;

  explicit Frame(const std::vector<Tensor>& tensors) : types(tensors.size(), buffer_argument) {
    for (const Tensor& tensor : tensors)
      buffers.push_back({.head = {sizeof(Buffer)},
                         .dtype = data_type(tensor.dtype, tensor.is_complex),
                         .data = tensor.bytes,
                         .rank = static_cast<std::int64_t>(tensor.dims.size()),
                         .dims = tensor.dims.data()});
    for (Buffer& buffer : buffers) pointers.push_back(&buffer);
  }
  Arguments arguments() const {
    return {.head = {sizeof(Arguments)},
            .size = static_cast<std::int64_t>(types.size()),
            .types = types.data(),
            .buffers = pointers.data()};
  }
};

void run_handler(const std::string& name, Handler* handler, const ir::HostCall& call) {
  const CallConfig& config = config_of(call.config);
  std::vector<Tensor> operands = tensors_of(call.inputs, config.complex_operands, config.operand_layouts),
                      results = tensors_of(call.outputs, config.complex_results, config.result_layouts);
  // LAPACK refuses matrices without elements. XLA never calls it for them, because nothing needs the results.
  const auto is_empty = [](const Tensor& tensor) { return tensor.size() == 0; };
  if (name.starts_with("lapack_") && std::ranges::all_of(operands, is_empty)) {
    for (const ir::HostOutput& output : call.outputs)
      std::memset(output.bytes, 0, static_cast<std::size_t>(output.type.bytes()));
    return;
  }
  // On smaller operands, libraries use no threads.
  constexpr std::int64_t many_elements = 4096;
  if (std::ranges::any_of(operands, [](const Tensor& tensor) { return tensor.elements() >= many_elements; }))
    runtime::expect_foreign_threads();
  place_all(operands, results, config);
  const Frame given(operands), made(results);
  ExecutionContext context{static_cast<const UserData*>(call.context)};
  CallFrame frame{.head = {offsetof(CallFrame, future)},  // as XLA has it
                  .api = &api(),
                  .context = &context,
                  .stage = Stage::execute,
                  .arguments = given.arguments(),
                  .results = made.arguments(),
                  .attributes = config.attributes()};
  if (Error* error = handler(&frame)) fail(name, ": ", take_message(error));
  if (frame.future)
    if (const std::string wrong = wait(frame.future); !wrong.empty()) fail(name, ": ", wrong);
  for (const Tensor& result : results)
    if (result.own) result.scatter_parts();
}

struct Handlers {
  std::mutex mutex;
  std::map<std::string, Handler*> by_name;
};

Handlers& handlers() {
  static auto& all = *new Handlers;  // programs may call the functions until the process ends
  return all;
}

void call_handler(const std::string& name, const ir::HostCall& call) {
  Handler* handler = nullptr;
  {
    const std::lock_guard lock(handlers().mutex);
    handler = handlers().by_name.at(name);
  }
  run_handler(name, handler, call);
}

}  // namespace

void register_handler(const std::string& name, Handler* handler) {
  const std::lock_guard lock(handlers().mutex);
  const bool is_new = handlers().by_name.insert_or_assign(name, handler).second;
  if (!is_new) return;
  const bool calls_python = name.find("python") != std::string::npos;  // and waits for its lock
  const auto types = [name](std::span<const Type>) -> std::vector<Type> {
    fail(name, ": the types of the results must be given");
  };
  const auto compute = [name](const ir::HostCall& call) { call_handler(name, call); };
  calls_python ? ir::register_host_function(name, types, compute) : ir::register_host_kernel(name, types, compute);
}

}  // namespace weft::pjrt::ffi
