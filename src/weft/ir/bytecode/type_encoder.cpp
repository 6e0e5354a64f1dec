#include <weft/ir/bytecode/type_encoder.h>

#include <algorithm>
#include <iterator>

#include <weft/ir/bytecode/type_codes.h>

namespace weft::ir::bytecode {

std::uint64_t TypeEncoder::add(Dialect dialect, const ByteWriter& encoding) {
  return context_.container.type(dialect == Dialect::vhlo ? "vhlo" : "builtin", encoding);
}

bool TypeEncoder::is_number(std::string_view name) {
  return std::ranges::find(vhlo_numbers, name, &NumberType::name) != std::end(vhlo_numbers);
}

std::uint64_t TypeEncoder::number(std::string_view name, Dialect dialect) {
  ByteWriter out;
  if (dialect == Dialect::vhlo) {
    const auto* const known = std::ranges::find(vhlo_numbers, name, &NumberType::name);
    if (known == std::end(vhlo_numbers)) context_.fail(concat("StableHLO has no type ", name));
    context_.require_since(known->since, concat("the type ", name, " exists"));
    return add(dialect, out.number(known->code));
  }
  if (const auto* const known = std::ranges::find(builtin_integers, name, &BuiltinInteger::name);
      known != std::end(builtin_integers))
    return add(dialect, out.number(builtin_integer).number(known->width << 2 | known->signedness));
  const auto* const known = std::ranges::find(builtin_numbers, name, &NumberType::name);
  if (known == std::end(builtin_numbers))
    context_.fail(concat("MLIR's bytecode has no encoding for ", name, " outside of VHLO"));
  return add(dialect, out.number(known->code));
}

std::uint64_t TypeEncoder::value(const text::WrittenType& type, Dialect dialect) {
  const bool is_vhlo = dialect == Dialect::vhlo;
  if (type.part.dtype() == DType::token)
    return is_vhlo ? add(dialect, ByteWriter().number(vhlo_token))
                   : context_.container.type("stablehlo", ByteWriter().number(stablehlo_token));
  std::uint64_t element = number(concat(type.part.dtype()), dialect);
  const std::uint64_t complex = is_vhlo ? std::uint64_t{vhlo_complex} : builtin_complex;
  if (type.is_complex) element = add(dialect, ByteWriter().number(complex).number(element));
  std::vector<std::int64_t> sizes;
  for (const Dim size : type.part.dims()) sizes.push_back(size.value());
  ByteWriter out;
  out.number(is_vhlo ? std::uint64_t{vhlo_ranked_tensor} : builtin_ranked_tensor).signed_numbers(sizes).number(element);
  return add(dialect, out);
}

std::uint64_t TypeEncoder::function(std::span<const text::WrittenType> arguments,
                                    std::span<const text::WrittenType> results) {
  ByteWriter out;
  out.number(vhlo_function);
  for (const auto& types : {arguments, results}) {
    out.number(types.size());
    for (const text::WrittenType& type : types) out.number(value(type, Dialect::vhlo));
  }
  return add(Dialect::vhlo, out);
}

std::uint64_t TypeEncoder::none() { return add(Dialect::vhlo, ByteWriter().number(vhlo_none)); }

}  // namespace weft::ir::bytecode
