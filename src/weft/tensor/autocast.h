// Mixed precision by scope: while it lives, products that this thread records (matmul, linear, einsum, convolutions, attention)
// take f32 operands as `dtype`, and give results of it; everything else keeps its types, so that parameters, their gradients,
// norms and losses stay f32. (torch.autocast)
//   const Autocast scope;
//   const Tensor loss = nn::cross_entropy(model(x).to(float32), labels);
#pragma once

#include <optional>

#include <weft/base/dtype.h>

namespace weft {

class Autocast {
 public:
  explicit Autocast(DType dtype = DType::bf16);  // bf16 or f16
  static Autocast off();                         // as if there were no scope around this one
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

  static std::optional<DType> current();

 private:
  explicit Autocast(std::optional<DType> dtype);
  std::optional<DType> before_;
};

}  // namespace weft
