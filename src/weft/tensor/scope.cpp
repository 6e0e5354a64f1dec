#include <weft/tensor/scope.h>

#include <mutex>
#include <string>
#include <unordered_set>

#include <weft/record/recording.h>

namespace weft {

Scope::Path Scope::intern(std::string_view path) {
  static std::mutex mutex;
  static auto* paths = new std::unordered_set<std::string>;  // never destroyed: recorded nodes refer to them
  const std::lock_guard lock(mutex);
  return {paths->emplace(path).first->c_str()};
}

Scope::Scope(std::string_view name) : recording_(record::Recording::current()), before_(recording_.scope()) {
  recording_.set_scope(intern(*before_ ? std::string(before_) + '.' + std::string(name) : std::string(name)).interned);
}

Scope::Scope(Path path) : recording_(record::Recording::current()), before_(recording_.scope()) {
  if (path.interned) recording_.set_scope(path.interned);
}

Scope::~Scope() { recording_.set_scope(before_); }

}  // namespace weft
