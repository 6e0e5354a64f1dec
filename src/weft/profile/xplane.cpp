#include <weft/profile/xplane.h>

#include <algorithm>
#include <limits>
#include <map>

#include <weft/base/error.h>
#include <weft/profile/hlo_proto.h>
#include <weft/profile/machine.h>
#include <weft/profile/serialize.h>
#include <weft/profile/xplane.pb.h>
#include <weft/runtime/hlo_text.h>

namespace weft::profile {

namespace {

// Converts to picoseconds, which fit for 106 days; longer times are clamped.
std::int64_t ps(std::uint64_t ns) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 1000;
  return std::min(ns, most) * 1000;
}
std::int64_t program_id(std::int32_t program) { return program + 1; }

// A plane, whose stats and events refer to their names by number.
class Plane {
 public:
  Plane(proto::XSpace& space, std::int64_t id, const std::string& name) : plane_(*space.add_planes()) {
    plane_.set_id(id);
    plane_.set_name(name);
  }

  proto::XPlane& proto() { return plane_; }

  proto::XLine& line(std::int64_t id, const std::string& name, std::uint64_t origin_ns) {
    proto::XLine& line = *plane_.add_lines();
    line.set_id(id);
    line.set_name(utf8(name));
    line.set_timestamp_ns(origin_ns);
    return line;
  }

  template <class Owner>
  proto::XStat& stat(Owner& owner, const std::string& name) {
    const auto [at, is_new] = stats_.try_emplace(name, std::ssize(stats_) + 1);
    if (is_new) {
      auto& metadata = (*plane_.mutable_stat_metadata())[at->second];
      metadata.set_id(at->second);
      metadata.set_name(name);
    }
    proto::XStat& stat = *owner.add_stats();
    stat.set_metadata_id(at->second);
    return stat;
  }

  // Returns the event metadata for a key, and whether it is new.
  std::pair<proto::XEventMetadata*, bool> metadata(const std::string& key) {
    const auto [at, is_new] = events_.try_emplace(key, std::ssize(events_) + 1);
    auto& metadata = (*plane_.mutable_event_metadata())[at->second];
    metadata.set_id(at->second);
    return {&metadata, is_new};
  }

 private:
  proto::XPlane& plane_;
  std::map<std::string, std::int64_t> stats_, events_;
};

proto::XEvent& add_event(proto::XLine& line, const proto::XEventMetadata& metadata, std::uint64_t begin_ns,
                         std::uint64_t end_ns) {
  const std::uint64_t origin_ns = line.timestamp_ns();
  proto::XEvent& event = *line.add_events();
  event.set_metadata_id(metadata.id());
  event.set_offset_ps(begin_ns >= origin_ns ? ps(begin_ns - origin_ns) : -ps(origin_ns - begin_ns));
  event.set_duration_ps(ps(end_ns - begin_ns));
  return event;
}

class Exporter {
 public:
  Exporter(const Recording& recording, const Analysis& analysis) : recording_(recording), analysis_(analysis) {
    if (!recording.spans.empty()) origin_ = recording.spans.front().begin_ns;
  }

  std::string write() {
    space_.add_hostnames(recording_.about.value("host", host_name()));
    for (const std::string& note : recording_.notes) space_.add_warnings(utf8(note));
    device();
    host();
    programs();
    return serialized(space_);
  }

 private:
  // Returns the name by which XProf names files of a program.
  std::string module_name(std::int32_t program) const {
    return concat(runtime::hlo_name(recording_.programs[program].name), '(', program_id(program), ')');
  }

  void device() {
    Plane plane(space_, 1, "/device:TPU:0");
    plane.stat(plane.proto(), "device_type_string")
        .set_str_value(utf8("weft CPU " + recording_.about.value("cpu", "")));
    if (recording_.roofs.flops > 0) {
      plane.stat(plane.proto(), "peak_teraflops_per_second").set_double_value(1e-12 * recording_.roofs.flops);
      plane.stat(plane.proto(), "peak_hbm_bw_gigabytes_per_second")
          .set_double_value(1e-9 * recording_.roofs.memory_bytes);
    }
    proto::XLine& steps = plane.line(1, "Steps", origin_);
    for (const StepStats& step : analysis_.steps) {
      const auto [metadata, is_new] = plane.metadata(concat("step ", step.number));
      if (is_new) metadata->set_name(std::to_string(step.number));
      proto::XEvent& event = add_event(steps, *metadata, step.begin_ns, step.end_ns);
      plane.stat(event, "group_id").set_int64_value(step.number);
      plane.stat(event, "step_num").set_int64_value(step.number);
    }
    proto::XLine& launches = plane.line(2, "XLA Modules", origin_);
    proto::XLine& ops = plane.line(3, "XLA Ops", origin_);
    for (const Span& span : recording_.spans) {
      if (span.program < 0) continue;
      const std::string& category = recording_.category(span);
      if (category == "device") launch(plane, launches, span);
      if (category == "thunk" && span.op >= 0) op(plane, ops, span);
    }
  }

  void launch(Plane& plane, proto::XLine& line, const Span& span) {
    const auto [metadata, is_new] = plane.metadata(concat("module ", span.program));
    if (is_new) {
      metadata->set_name(module_name(span.program));
      plane.stat(*metadata, "program_id").set_int64_value(program_id(span.program));
    }
    proto::XEvent& event = add_event(line, *metadata, span.begin_ns, span.end_ns);
    plane.stat(event, "run_id").set_int64_value(span.number);
    plane.stat(event, "program_id").set_int64_value(program_id(span.program));
  }

  void op(Plane& plane, proto::XLine& line, const Span& span) {
    const auto [metadata, is_new] = plane.metadata(concat("op ", span.program, ' ', span.op));
    if (is_new) describe(plane, *metadata, span);
    add_event(line, *metadata, span.begin_ns, span.end_ns);
  }

  void describe(Plane& plane, proto::XEventMetadata& metadata, const Span& span) {
    const Program& program = recording_.programs[span.program];
    const runtime::ThunkInfo& info = program.ops[span.op].info;
    const runtime::Instruction* const instruction = program.instruction(span.op);
    const std::string name = instruction ? instruction->name : runtime::hlo_name(info.name);
    std::string text = concat('%', name, " = ()");
    if (instruction) text = hlo_line(program.description, *program.description.entry(), *instruction);
    if (text.starts_with("ROOT ")) text.erase(0, 5);
    metadata.set_name(utf8(text));
    metadata.set_display_name(utf8(name));
    const auto integer = [&](const char* stat, std::int64_t value) {
      plane.stat(metadata, stat).set_int64_value(value);
    };
    const auto string = [&](const char* stat, const std::string& value) {
      plane.stat(metadata, stat).set_str_value(utf8(value));
    };
    integer("program_id", program_id(span.program));
    integer("symbol_id", span.op + 1);
    integer("flops", static_cast<std::int64_t>(info.flops));
    integer("model_flops", static_cast<std::int64_t>(info.flops));
    integer("bytes_accessed", static_cast<std::int64_t>(info.bytes));
    string("hlo_category", info.category);
    string("tf_op", concat(info.scope, info.scope.empty() ? "" : "/", name, ':', info.category));
    if (!info.source.empty()) string("source", info.source);
    string("deduplicated_name", name);
    if (instruction) string("shape_with_layout", hlo_shape(instruction->shape));
  }

  void host() {
    Plane plane(space_, 2, "/host:CPU");
    std::map<std::uint32_t, proto::XLine*> lines;
    for (std::size_t thread = 0; thread < recording_.threads.size(); ++thread) lines[thread] = nullptr;
    // Add all lines first, because adding one may move the others.
    for (auto& [thread, line] : lines)
      plane.line(static_cast<std::int64_t>(thread) + 1, recording_.threads[thread], origin_);
    for (auto& [thread, line] : lines) line = plane.proto().mutable_lines(thread);
    for (const Span& span : recording_.spans) {
      const std::string& category = recording_.category(span);
      if (category == "device" || category == "thunk" || category == "queue" || category == "memory") continue;
      const auto [metadata, is_new] = plane.metadata(concat(span.category, ' ', span.name));
      // XProf takes host events whose names begin with "train" for steps.
      if (is_new)
        metadata->set_name(category == "step" ? "train" : utf8(concat(category, ": ", recording_.name(span))));
      proto::XEvent& event = add_event(*lines.at(span.thread), *metadata, span.begin_ns, span.end_ns);
      if (category == "step") plane.stat(event, "step_num").set_int64_value(span.number);
    }
  }

  void programs() {
    Plane plane(space_, 3, "/host:metadata");
    for (std::size_t i = 0; i < recording_.programs.size(); ++i) {
      if (!recording_.programs[i].description.entry()) continue;
      const auto id = program_id(i);
      auto& metadata = (*plane.proto().mutable_event_metadata())[id];
      metadata.set_id(id);
      metadata.set_name(module_name(i));
      plane.stat(metadata, "Hlo Proto").set_bytes_value(hlo_proto(recording_.programs[i], id));
    }
  }

  const Recording& recording_;
  const Analysis& analysis_;
  std::uint64_t origin_ = 0;
  proto::XSpace space_;
};

}  // namespace

std::string xspace(const Recording& recording, const Analysis& analysis) {
  return Exporter(recording, analysis).write();
}

}  // namespace weft::profile
