// A temporary cache on disk.
#pragma once

#include <filesystem>

#include <weft/base/knobs.h>
#include <weft/base/temporary_folder.h>

namespace weft::compiler {

// Keeps kernels on disk in a temporary folder, empty at first, and nowhere else, for the lifetime of this object.
class TemporaryCache {
 public:
  void empty() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      std::filesystem::remove_all(entry.path());
  }

 private:
  TemporaryFolder folder_;
  knobs::Override<knobs::Switch> on_{knobs::cache, true};
  knobs::Override<knobs::Text> place_{knobs::cache_dir, folder_.path().string()}, no_store_{knobs::cache_url, ""};
};

}  // namespace weft::compiler
