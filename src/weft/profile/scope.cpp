#include <weft/profile/scope.h>

#include <iostream>
#include <utility>

#include <weft/base/error.h>
#include <weft/profile/recorder.h>
#include <weft/profile/report.h>
#include <weft/runtime/devices.h>
#include <weft/runtime/ranks.h>

namespace weft::profile {

struct Scope::Impl {
  std::filesystem::path folder;
  Recorder recorder;
};

namespace {

std::filesystem::path folder_of_rank(const std::filesystem::path& folder) {
  const std::uint32_t rank = runtime::ranks().rank;
  return rank == 0 ? folder : folder / concat("rank-", rank);
}

}  // namespace

Scope::Scope(const std::filesystem::path& whole, const std::string& command) {
  try {
    const std::filesystem::path folder = folder_of_rank(whole);
    impl_ = std::unique_ptr<Impl>(new Impl{folder, Recorder({.folder = folder, .command = command})});
  } catch (const std::exception& wrong) {
    status_ = Status::failed(wrong.what());
    std::cerr << "warning: profile: " << wrong.what() << "; nothing is recorded" << std::endl;
  }
}

Scope::~Scope() {
  if (!impl_) return;
  if (const Status status = finish(); !status) std::cerr << "warning: profile: " << status.reason() << std::endl;
}

Status Scope::finish() {
  const auto impl = std::exchange(impl_, nullptr);
  if (!impl) return status_;
  try {
    runtime::default_device().synchronize();
    status_ = impl->recorder.stop();
    std::string failures = status_.reason();
    const Recording recording = read_recording(impl->folder);
    for (const std::string& failed : write_report(recording, analyse(recording), impl->folder))
      if (failures.find(failed) == failures.npos) failures += concat(failures.empty() ? "" : "; ", failed);
    if (!failures.empty()) status_ = Status::failed(std::move(failures));
  } catch (const std::exception& wrong) {
    status_ = Status::failed(wrong.what());
  }
  return status_;
}

}  // namespace weft::profile
