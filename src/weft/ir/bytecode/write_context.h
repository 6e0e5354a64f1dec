// The parts of the writer share this: the version that is written, and the operation that is being written, for messages.
#pragma once

#include <string>
#include <string_view>

#include <weft/ir/bytecode/container_writer.h>
#include <weft/ir/bytecode/stablehlo_version.h>
#include <weft/ir/graph.h>
#include <weft/ir/text/lexer.h>
#include <weft/ir/text/location.h>

namespace weft::ir::bytecode {

struct WriteContext {
  const text::Source& source;  // the program as text
  StablehloVersion target;
  ContainerWriter container;
  std::string operation = {};
  Location location = {};  // of the operation

  // Throws Error "stablehlo.tan at model.py:12: what is wrong".
  [[noreturn]] void fail(const std::string& message) const {
    const std::string place = text::has_file(location) ? concat(" at ", location.file, ':', location.line) : "";
    weft::fail(operation, place, ": ", message);
  }
  // Throws Error if what is written exists only in a newer version. `what` is the beginning of a sentence: "f8E4M3 exists".
  void require_since(StablehloVersion since, std::string_view what) const {
    if (target < since) fail(concat(what, " only since StableHLO ", since, "; the target is ", target));
  }
};

}  // namespace weft::ir::bytecode
