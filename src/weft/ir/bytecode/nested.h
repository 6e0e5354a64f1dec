// Counts the nesting of attributes, and the attributes.
#pragma once

#include <weft/ir/bytecode/attributes.h>

namespace weft::ir::bytecode {

class AttributeDecoder::Nested {
 public:
  Nested(AttributeDecoder& decoder, const Owner& owner) : decoder_(decoder) {
    if (++decoder.depth_ > decoder.max_depth_)
      decoder.source_.fail(owner.at,
                           concat(owner.name, ": attributes are nested more than ", decoder.max_depth_, " deep"));
    if (--decoder.left_ < 0)
      decoder.source_.fail(owner.at, concat(owner.name, ": the attributes take too much memory once they are decoded"));
  }
  ~Nested() { --decoder_.depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  AttributeDecoder& decoder_;
};

}  // namespace weft::ir::bytecode
