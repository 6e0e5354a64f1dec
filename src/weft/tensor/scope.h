// A Scope names the module whose operations are recorded during its lifetime. Messages, dumps and profiles show the
// path, such as "blocks.3.attention".
#pragma once

#include <string_view>

namespace weft {

namespace record {
class Recording;
}

class Scope {
 public:
  // The path is that of the enclosing scope, a dot and `name`.
  explicit Scope(std::string_view name);
  // A complete path, independent of the enclosing scope; null leaves the current path unchanged.
  struct Path {
    const char* interned = nullptr;
  };
  explicit Scope(Path path);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Returns the unique copy of `path`, which lives as long as the process.
  static Path intern(std::string_view path);

 private:
  record::Recording& recording_;
  const char* before_;
};

}  // namespace weft
