#include <weft/profile/scope.h>

#include <iostream>
#include <utility>

#include <weft/base/error.h>
#include <weft/profile/recorder.h>
#include <weft/profile/report.h>
#include <weft/runtime/cpu/cpu_device.h>

namespace weft::profile {

struct Scope::Impl {
  std::filesystem::path folder;
  Recorder recorder;
};

Scope::Scope(const std::filesystem::path& folder, const std::string& command) {
  try {
    impl_ = std::unique_ptr<Impl>(new Impl{folder, Recorder({.folder = folder, .command = command})});
  } catch (const std::exception& wrong) {
    failure_ = wrong.what();
    std::cerr << "warning: profile: " << failure_ << "; nothing is recorded" << std::endl;
  }
}

Scope::~Scope() {
  if (!impl_) return;
  if (const std::string failure = finish(); !failure.empty()) std::cerr << "warning: profile: " << failure << std::endl;
}

std::string Scope::finish() {
  const auto impl = std::exchange(impl_, nullptr);
  if (!impl) return failure_;
  try {
    runtime::cpu().synchronize();
    failure_ = impl->recorder.stop();
    const Recording recording = read_recording(impl->folder);
    for (const std::string& failed : write_report(recording, analyse(recording), impl->folder))
      if (failure_.find(failed) == failure_.npos) failure_ += concat(failure_.empty() ? "" : "; ", failed);
  } catch (const std::exception& wrong) {
    failure_ = wrong.what();
  }
  return failure_;
}

}  // namespace weft::profile
