// Decodes locations. As in text, the outermost name becomes the scope and the innermost file and line become the place.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/ir/bytecode/container.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::bytecode {

class LocationDecoder {
 public:
  LocationDecoder(const text::Source& source, const Container& container, int max_depth)
      : source_(source),
        container_(container),
        max_depth_(max_depth),
        known_(container.attributes.size()),
        names_(container.strings.size()) {}

  // Returns the location at this position of the table of attributes; empty if it is unknown, or an attribute that is not a location. The
  // pointer lives as long as the decoder. Throws Error if the location is malformed or contains itself.
  const Location* decode(std::size_t index);

 private:
  Location decoded(std::size_t index);
  Location read(ByteReader in);
  Location first_of(ByteReader& in, std::size_t count);
  // Reads the position of an attribute that is a string, and returns its characters, which live as long as the process.
  const char* name(ByteReader& in);

  const text::Source& source_;
  const Container& container_;
  int max_depth_, depth_ = 0;
  std::vector<std::optional<Location>> known_;
  std::vector<const char*> names_;  // of each string, null until it is needed: most locations have the same few files
};

}  // namespace weft::ir::bytecode
