// The error for reading a value in a loop body, which is recorded and not run.
#include <functional>
#include <sstream>
#include <string>

#include "tests/error_of.h"
#include "tests/tensor/check.h"

namespace weft {
namespace {

using Tensors = std::vector<Tensor>;

TEST(BodyRead, SaysWhere) {
  const Tensor start[] = {tensor({1.f, 2.f})};
  const auto is_place_of = [](const std::function<void(const Tensor&)>& read, int line, const std::string& function) {
    const auto body = [&](const Tensor&, const Tensors& at) {
      read(at[0]);
      return at;
    };
    const std::string place = concat(" (", __FILE__, ':', line, ')');
    const std::string said = error_of([&] { for_loop(3, std::array{tensor({1.f, 2.f})}, body); });
    EXPECT_TRUE(said.starts_with(function + ": a value cannot be read inside the body")) << said;
    EXPECT_TRUE(said.ends_with(place)) << said;
  };
  is_place_of([](const Tensor& x) { (void)sum(x).item(); }, __LINE__, "item");
  is_place_of([](const Tensor& x) { (void)x.to_vector<float>(); }, __LINE__, "to_vector");
  is_place_of([](const Tensor& x) { (void)x.bytes(); }, __LINE__, "bytes");
  is_place_of([](const Tensor& x) { (void)sum(x).item_async(); }, __LINE__, "item_async");
  is_place_of([](const Tensor& x) { std::ostringstream() << x * 2; }, __LINE__, "printing");
  const auto compiled = compile([&](const Tensor& x) {
    return for_loop(3, std::array{x}, [](const Tensor&, const Tensors& at) { return Tensors{at[0] * at[0].item()}; });
  });
  EXPECT_TRUE(error_of([&] { compiled(tensor(1.f)); }).ends_with(concat(" (", __FILE__, ':', __LINE__ - 2, ')')));
}

}  // namespace
}  // namespace weft
