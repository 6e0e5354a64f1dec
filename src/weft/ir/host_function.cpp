#include <weft/ir/host_function.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include <weft/base/error.h>

namespace weft::ir {

namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<HostFunction>, std::less<>> functions;

  static Registry& instance() {
    static auto* registry = new Registry;  // never destroyed: programs may call the functions until the process ends
    return *registry;
  }

  HostFunction& add(std::unique_ptr<HostFunction> function) {
    const std::lock_guard lock(mutex);
    const auto [at, added] = functions.try_emplace(function->name(), nullptr);
    require(added, "custom_op: a function is already registered under the name ", function->name());
    at->second = std::move(function);
    return *at->second;
  }
};

std::vector<Type> not_called(std::span<const Type> /*inputs*/) {
  fail("custom_op: a gradient or a forward rule cannot be called by its name");
}

}  // namespace

HostFunction::HostFunction(std::string name, HostTypes types, HostCompute compute)
    : name_(std::move(name)),
      types_(std::move(types)),
      compute_(std::move(compute)),
      counter_name_("custom_op::" + name_),
      time_name_(counter_name_ + ".Time"),
      bytes_name_(counter_name_ + ".Bytes"),
      calls_(counter_name_.c_str()),
      time_(time_name_.c_str()),
      bytes_(bytes_name_.c_str(), metrics::Unit::bytes) {}

void HostFunction::run(const HostCall& call) const {
  const metrics::Timer timer(time_);
  calls_.add();
  std::uint64_t bytes = 0;
  for (const HostInput& input : call.inputs) bytes += input.type.bytes();
  for (const HostOutput& output : call.outputs) bytes += output.type.bytes();
  bytes_.add(bytes);
  compute_(call);
}

const HostFunction& register_host_function(std::string name, HostTypes types, HostCompute compute, HostCompute gradient,
                                           HostCompute forward) {
  require(!name.empty(), "custom_op: the name is empty");
  require(types != nullptr && compute != nullptr, "custom_op: ", name, " has no function");
  Registry& registry = Registry::instance();
  HostFunction& function = registry.add(std::make_unique<HostFunction>(name, std::move(types), std::move(compute)));
  const auto add_rule = [&](const char* suffix, HostCompute& rule) -> const HostFunction* {
    return rule ? &registry.add(std::make_unique<HostFunction>(name + suffix, not_called, std::move(rule))) : nullptr;
  };
  function.gradient_ = add_rule(".gradient", gradient);
  function.forward_ = add_rule(".forward", forward);
  return function;
}

const HostFunction& register_host_kernel(std::string name, HostTypes types, HostCompute compute) {
  auto function = std::make_unique<HostFunction>(std::move(name), std::move(types), std::move(compute));
  function->is_kernel_ = true;
  return Registry::instance().add(std::move(function));
}

const HostFunction* find_host_function(std::string_view name) {
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.functions.find(name);
  return found == registry.functions.end() ? nullptr : found->second.get();
}

namespace {

// Targets of linear algebra that JAX and XLA write besides those of LAPACK.
constexpr std::string_view decompositions[] = {
    "Eig", "Eigh", "Expm",  "Hessenberg", "LuDecomposition", "ProductOfElementaryHouseholderReflectors",
    "Qr",  "SVD",  "Schur", "Svd",        "Sylvester",       "TridiagonalReduction",
};

}  // namespace

std::string no_host_function(std::string_view target) {
  const auto names = [&](std::string_view part) { return target.find(part) != target.npos; };
  std::string_view reason;
  if (target.starts_with("lapack_") && (names("potrf") || names("trsm")))
    reason =
        "; it is a LAPACK routine: if you export for a TPU (platforms=[\"tpu\"]), JAX writes stablehlo.cholesky and "
        "stablehlo.triangular_solve instead, which weft supports";
  else if (target.starts_with("lapack_"))
    reason = "; it is a LAPACK routine, which weft calls only under JAX, where the package weft_jax is installed";
  else if (std::ranges::find(decompositions, target) != std::end(decompositions))
    reason = "; for linear algebra, weft supports only Cholesky factors and triangular systems";
  else if (names("python") && names("callback"))
    reason = "; it calls back into Python, which weft does only under JAX, where the package weft_jax is installed";
  else
    reason = "; only a C++ program that registers it with weft::custom_op can run it";
  return concat("custom_call @", target, ": weft has no such function", reason);
}

}  // namespace weft::ir
