#include <weft/base/convert.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/interpreter/view.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

std::vector<Array> parameter(const NodeCall&) { fail("interpret: a parameter cannot be evaluated"); }

std::vector<Array> constant(const NodeCall& call) { return one(Array(call.attributes<ConstantAttributes>().value)); }

std::vector<Array> iota(const NodeCall& call) {
  Array result(call.type());
  const std::size_t dimension = call.attributes<IotaAttributes>().dimension;
  visit_any(result.dtype(), [&]<class T>(T) {
    auto to = result.data<T>().begin();
    for_each_index(sizes_of(result.type()), [&](const Index& index) { *to++ = convert_element<T>(index[dimension]); });
  });
  return one(std::move(result));
}

}  // namespace weft::ir::interpreter
