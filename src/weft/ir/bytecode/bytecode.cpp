#include <weft/ir/bytecode/bytecode.h>

#include <weft/ir/bytecode/exported.h>
#include <weft/ir/bytecode/module_reader.h>
#include <weft/ir/text/lower.h>

namespace weft::ir {

namespace {

// Reads the version in the name of the producer: StableHLO_v1.15.0.
void require_known_version(const text::Source& source, std::string_view producer) {
  constexpr std::string_view before = "StableHLO_v";
  const std::size_t at = bytecode::magic.size();
  if (!producer.starts_with(before))
    source.fail_unsupported(at,
                            concat("the bytecode was not written as a StableHLO portable artifact, but by ",
                                   producer.substr(0, 60), "; write it with serialize_portable_artifact"),
                            "MLIR bytecode");
  const auto version = parse_stablehlo_version(producer.substr(before.size()));
  if (!version) source.fail(at, concat("expected a version such as StableHLO_v1.0.0, got ", producer.substr(0, 60)));
  if (*version > newest_stablehlo)
    source.fail_unsupported(at,
                            concat("the program is of StableHLO ", *version, "; weft reads up to ", newest_stablehlo),
                            "StableHLO version");
}

}  // namespace

bool is_bytecode(std::string_view bytes) { return bytes.starts_with(bytecode::magic); }

Module read_bytecode(std::string_view bytes, const ParseLimits& limits, std::vector<std::string>* refused) {
  require(bytes.size() <= limits.bytes && bytes.size() <= UINT32_MAX, "read_bytecode: there are ", bytes.size(),
          " bytes, at most ", limits.bytes, " are read");
  text::Source source{bytes};
  source.place = [](std::size_t at) { return concat("byte ", at); };
  if (!is_bytecode(bytes)) source.fail(0, "expected MLIR bytecode, which begins with the bytes 4D 4C EF 52");
  const bytecode::Container container = bytecode::read_container(source);
  require_known_version(source, container.producer);
  bytecode::ModuleReader reader(source, container, limits);
  source.place = [&](std::size_t at) { return reader.place(at); };
  const text::SyntaxModule module = reader.read();
  return text::lower(source, module, limits, refused);
}

Module read_program(std::string_view contents, const ParseLimits& limits, int first_line, std::string_view file) {
  if (is_bytecode(contents)) return read_bytecode(contents, limits);
  if (const auto module = bytecode::exported_module(contents)) return read_bytecode(*module, limits);
  return parse_module(contents, limits, first_line, file);
}

}  // namespace weft::ir
