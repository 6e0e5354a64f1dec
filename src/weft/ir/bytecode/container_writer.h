// Puts a file of MLIR bytecode together: it collects the tables that container.h describes while operations are written, which refer to them
// by position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weft/ir/bytecode/byte_writer.h>
#include <weft/ir/bytecode/container.h>

namespace weft::ir::bytecode {

class ContainerWriter {
 public:
  explicit ContainerWriter(ContainerVersion version) : version_(version) {}

  ContainerVersion version() const { return version_; }

  // Return the position of an entry, which is added if it is not there.
  std::uint64_t string(std::string_view text);
  std::uint64_t operation(std::string_view dialect, std::string_view name);
  std::uint64_t attribute(std::string_view dialect, ByteWriter encoding);
  std::uint64_t type(std::string_view dialect, ByteWriter encoding);
  std::uint64_t properties(ByteWriter encoding);

  // Returns the file. `ir` holds the operations.
  std::string finish(std::string_view producer, const ByteWriter& ir);

 private:
  // Different texts, in the order in which they were first asked for.
  class Table {
   public:
    std::uint64_t at(std::string_view text);
    const std::vector<const std::string*>& texts() const { return texts_; }

   private:
    std::unordered_map<std::string, std::uint64_t> places_;
    std::vector<const std::string*> texts_;
  };
  // The entries of all dialects. The encodings of two dialects may be alike, so a table also has the dialect in front of each encoding.
  struct Entries {
    Table table;
    std::vector<std::uint64_t> dialects = {};  // of each entry
  };
  std::uint64_t add(Entries& entries, std::string_view dialect, std::string_view text);
  // Calls write(first, last) for each run of entries of the same dialect, after the dialect and the length of the run.
  static void groups(ByteWriter& out, const Entries& entries, auto&& write);
  static std::string_view encoding(const Entries& entries, std::size_t i);

  ByteWriter dialect_section();
  ByteWriter string_section() const;

  ContainerVersion version_;
  Table strings_, dialects_, properties_;
  Entries operations_, attributes_, types_;
};

}  // namespace weft::ir::bytecode
