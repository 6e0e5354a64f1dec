#include <apps/lab/device_times.h>

#include <utility>

#include <weft/base/error.h>
#include <weft/base/temporary_folder.h>
#include <weft/profile/analysis.h>
#include <weft/profile/recorder.h>
#include <weft/profile/scope.h>
#include <weft/record/sync.h>

namespace weft::lab {

namespace {

// Values whose products stay away from infinity and from numbers that are too small to be normal.
std::vector<std::byte> small_values(Type type) {
  std::vector<std::byte> bytes(type.bytes());
  if (type.dtype() != DType::f32) return bytes;
  auto* const values = reinterpret_cast<float*>(bytes.data());
  for (std::int64_t i = 0; i < type.elements(); ++i) values[i] = 0.001F * static_cast<float>(i * 37 % 61 - 30);
  return bytes;
}

}  // namespace

DeviceSteps::DeviceSteps(std::shared_ptr<const runtime::Executable> executable, const RecordedStep& step,
                         runtime::Device& on)
    : executable_(std::move(executable)), step_(step), on_(on) {
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const Type type = executable_->inputs[i];
    inputs_.push_back(step.inputs[i].role == RecordedStep::Role::number ? on.upload(type, step.inputs[i].value.bytes())
                                                                        : on.upload(type, small_values(type)));
  }
}

void DeviceSteps::run() {
  std::vector<runtime::BufferPtr> given = inputs_, outputs;
  const auto is_updated = [&](std::size_t i) { return step_.inputs[i].updated_by >= 0; };
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (is_updated(i)) inputs_[i] = nullptr;  // the step may write the new value in its place
  on_.launch(executable_, std::move(given), outputs, [] {});
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (is_updated(i)) inputs_[i] = outputs[step_.inputs[i].updated_by];
  outputs[0]->wait();
}

DeviceTimes measure_device(const std::shared_ptr<const runtime::Executable>& executable, const RecordedStep& step,
                           std::int64_t steps) {
  const TemporaryFolder folder;
  DeviceSteps run(executable, step, device());
  run.run();  // touches new memory and prepares code
  profile::Recorder recorder({.folder = folder.path(), .command = "weft lab mesh --simulate"});
  for (std::int64_t i = 0; i <= steps; ++i) {
    const profile::Step span(static_cast<std::uint64_t>(i));
    run.run();
  }
  const Status status = recorder.stop();
  require(status.ok(), "lab mesh: ", status.reason());
  const profile::Recording recording = profile::read_recording(folder.path());
  const profile::Analysis analysis = profile::analyse(recording);
  DeviceTimes times{
      .step_ms = 1e-6 * analysis.step_spread().p10, .us = {}, .memory_bytes_per_s = recording.roofs.memory_bytes};
  for (const profile::OpStats& op : analysis.ops)
    if (op.op >= 0) times.us[op.name] = 1e-3 * op.spread.p10;
  return times;
}

}  // namespace weft::lab
