#include <weft/pjrt/record_process.h>

#include <iostream>
#include <optional>
#include <utility>

#include <weft/base/error.h>
#include <weft/profile/analysis.h>
#include <weft/profile/doctor.h>
#include <weft/profile/graph_view.h>
#include <weft/profile/recording.h>
#include <weft/profile/scope.h>
#include <weft/runtime/cpu/cpu_device.h>

namespace weft::pjrt {

namespace {

class RecordedProcess {
 public:
  RecordedProcess(std::string folder, bool explains)
      : folder_(std::move(folder)), explains_(explains), scope_(folder_, "jax") {}
  RecordedProcess(const RecordedProcess&) = delete;
  RecordedProcess& operator=(const RecordedProcess&) = delete;

  ~RecordedProcess() {
    try {
      const Status status = scope_.finish();
      require(status.ok(), status.reason());
      std::cerr << told() << "page with all operations: " << folder_ << "/report.html" << std::endl;
    } catch (const std::exception& error) {
      std::cerr << "weft: the profile cannot be told: " << error.what() << std::endl;
    }
  }

 private:
  std::string told() const {
    const profile::Recording recording = profile::read_recording(folder_);
    const profile::Analysis analysis = profile::analyse(recording);
    if (!explains_) return profile::diagnosis_text(recording, analysis, profile::diagnose(recording, analysis));
    const auto* const program = profile::longest_program(recording, analysis);
    if (!program) return "no program ran\n";
    runtime::ProgramDescription description = program->description;
    description.name = program->name;
    return profile::graph_text(description, {});
  }

  const std::string folder_;
  const bool explains_;
  profile::Scope scope_;
};

}  // namespace

void record_process(const std::string& folder, const std::string& tells) {
  require(tells == "doctor" || tells == "explain", "the client tells of a process as doctor or explain, not as ",
          tells);
  runtime::cpu().synchronize();  // the device exists now, so it ends after what follows
  static std::optional<RecordedProcess> recorded;
  if (!recorded) recorded.emplace(folder, tells == "explain");
}

}  // namespace weft::pjrt
