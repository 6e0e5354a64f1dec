#include <weft/ir/ops/source.h>

#include <weft/ir/ops/rules.h>

namespace weft::ir {

void parameter_type(const Call& call, std::vector<Type>& results) {
  call.require(call.attributes<ParameterAttributes>().index >= 0, "index ",
               call.attributes<ParameterAttributes>().index, " is negative");
  results.push_back(call.requested_type());
}

void constant_type(const Call& call, std::vector<Type>& results) {
  const Literal& value = call.attributes<ConstantAttributes>().value;
  call.require(static_cast<bool>(value.type), "the value has no type");
  call.require(value.is_splat() || std::ssize(value.bytes) == value.type.bytes(), "a value of ", value.type,
               " cannot have ", value.bytes.size(), " bytes");
  results.push_back(value.type);
}

void iota_type(const Call& call, std::vector<Type>& results) {
  const Type type = call.requested_type();
  call.require(contains(call.op.domain, type.dtype()), "is not defined for ", type.dtype());
  require_dimension(call, "iota_dimension", call.attributes<IotaAttributes>().dimension, type.rank());
  results.push_back(type);
}

}  // namespace weft::ir
