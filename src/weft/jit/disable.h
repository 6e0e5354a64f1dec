// Keeps functions out of compiled graphs. (torch.compiler.disable)
//   const auto look = weft::disable([](const Tensor& x) { return expensive_host_check(x); });
#pragma once

#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

namespace weft {

namespace jit {

// A call outside of the graph that is being recorded: the constructor launches what was recorded before, the call runs
// operation by operation, and later operations belong to another program.
class Outside {
 public:
  explicit Outside(const std::source_location& where);
  ~Outside();
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  void finish();  // launches what the call recorded

 private:
  struct Before;
  std::unique_ptr<const Before> before_;
};

}  // namespace jit

// Returns the same function, which compiled functions do not include in their graphs: calling it is a graph break, and
// so a GraphBreakError under fullgraph. Compiled functions that it calls run compiled. A call throws Error in the body
// of a loop or branch.
template <class F>
auto disable(F&& function, std::source_location where = std::source_location::current()) {
  return [function = std::decay_t<F>(std::forward<F>(function)), where](auto&&... arguments) {
    jit::Outside outside(where);
    using Returned = decltype(function(std::forward<decltype(arguments)>(arguments)...));
    if constexpr (std::is_void_v<Returned>) {
      function(std::forward<decltype(arguments)>(arguments)...);
      outside.finish();
    } else {
      std::decay_t<Returned> result = function(std::forward<decltype(arguments)>(arguments)...);
      outside.finish();
      return result;
    }
  };
}

}  // namespace weft
