// Mixed precision for a scope, like torch.autocast. During the lifetime of an Autocast, the products that this thread
// records (matmul, linear, einsum, convolutions, attention) convert their f32 operands to `dtype` and return results of
// `dtype`. All other operations keep their types, so parameters, their gradients, norms and losses stay f32.
//   const Autocast scope;
//   const Tensor loss = nn::cross_entropy(model(x).to(float32), labels);
#pragma once

#include <optional>

#include <weft/base/dtype.h>

namespace weft {

class Autocast {
 public:
  explicit Autocast(DType dtype = DType::bf16);  // bf16 or f16
  static Autocast off();                         // suspends the enclosing scope
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

  static std::optional<DType> current();

 private:
  explicit Autocast(std::optional<DType> dtype);
  std::optional<DType> before_;
};

}  // namespace weft
