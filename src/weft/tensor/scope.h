// Names the module whose operations are recorded while it lives: messages, dumps and profiles show "blocks.3.attention".
#pragma once

#include <string_view>

namespace weft {

namespace record {
class Recording;
}

class Scope {
 public:
  // Within the scope that encloses it: its path, a dot and `name`.
  explicit Scope(std::string_view name);
  // A whole path, whatever encloses it; null: no change.
  struct Path {
    const char* interned = nullptr;
  };
  explicit Scope(Path path);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // One copy of `path` for the life of the process.
  static Path intern(std::string_view path);

 private:
  record::Recording& recording_;
  const char* before_;
};

}  // namespace weft
