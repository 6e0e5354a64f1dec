#include <weft/profile/html.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <weft/profile/assets.h>
#include <weft/profile/doctor.h>
#include <weft/profile/measured_schedule.h>
#include <weft/profile/memory.h>
#include <weft/profile/table.h>
#include <weft/profile/timeline.h>
#include <weft/runtime/hlo_text.h>

namespace weft::profile {

namespace {

using nlohmann::json;

json program_json(const Program& of) {
  const runtime::ProgramDescription& program = of.description;
  json computations = json::array();
  for (const runtime::Computation& computation : program.computations) {
    json instructions = json::array();
    for (const runtime::Instruction& i : computation.instructions) {
      json calls = json::array();
      for (const std::uint32_t called : i.calls) calls.push_back(program.computations[called].name);
      instructions.push_back({{"name", i.name},
                              {"shape", runtime::hlo_shape(i.shape)},
                              {"opcode", i.opcode},
                              {"operands", runtime::hlo_operands(computation, i)},
                              {"calls", std::move(calls)},
                              {"text", runtime::hlo_line(program, computation, i)}});
    }
    computations.push_back({{"name", computation.name},
                            {"entry", &computation == program.entry()},
                            {"instructions", std::move(instructions)}});
  }
  return {{"name", of.name}, {"computations", std::move(computations)}};
}

json ops_of(const Analysis& analysis, const Recording& recording) {
  json ops = ops_json(recording, analysis).at("ops");
  for (std::size_t i = 0; i < analysis.ops.size(); ++i) {
    const OpStats& op = analysis.ops[i];
    ops[i]["name"] = op.name;
    const auto* const instruction = recording.programs[op.program].instruction(op.op);
    ops[i]["hlo"] = instruction ? instruction->name : "";
    ops[i]["program"] = op.program;
    ops[i]["program_name"] = op.program_name;
    ops[i]["op"] = op.op;
    ops[i]["over"] = op.over_prediction();
  }
  return ops;
}

json memory_json(const Recording& recording, const Analysis& analysis) {
  json timeline = json::array(), programs = json::array();
  std::uint64_t origin = 0, peak = 0;
  std::vector<const Span*> samples;
  for (const Span& span : recording.spans)
    if (recording.category(span) == "memory") samples.push_back(&span);
  constexpr std::size_t most = 2000;
  const std::size_t stride = samples.size() / most + 1;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i == 0) origin = samples[i]->end_ns;
    peak = std::max(peak, samples[i]->number);
    if (i % stride == 0) timeline.push_back({samples[i]->end_ns - origin, samples[i]->number});
  }
  // Show the programs that took the most time.
  std::vector<std::int32_t> shown;
  for (const OpStats& op : analysis.ops)
    if (std::ranges::find(shown, op.program) == shown.end() && shown.size() < 4) shown.push_back(op.program);
  for (const std::int32_t index : shown) {
    const Program& program = recording.programs[index];
    const ProgramMemory memory = program_memory(program);
    peak = std::max(peak, memory.peak);
    json live = json::array();
    for (const LiveValues& values : memory.live)
      live.push_back({{"kind", values.kind},
                      {"module", values.scope},
                      {"source", values.source},
                      {"bytes", values.bytes},
                      {"count", values.count}});
    programs.push_back({{"name", program.name},
                        {"points", memory.points},
                        {"peak_at", memory.peak_at},
                        {"peak", memory.peak},
                        {"live", std::move(live)},
                        {"at", program.ops.empty() ? "" : program.ops[memory.peak_at].info.name}});
  }
  return {{"timeline", std::move(timeline)}, {"programs", std::move(programs)}, {"peak", peak}};
}

json compare_json(const Comparison& c) {
  json rows = json::array();
  for (const OpChange& op : c.ops)
    rows.push_back({{"identity", op.identity},
                    {"category", op.category},
                    {"before_ns", op.before_ns},
                    {"after_ns", op.after_ns},
                    {"delta_ns", op.difference_ns()},
                    {"ratio", op.before_ns > 0 && op.after_ns > 0 ? op.after_ns / op.before_ns : 0}});
  return {
      {"about",
       fmt::format(
           "{} against {}: a step takes {:.3f} ms, it took {:.3f} ms; operations are matched by module, kind and size",
           c.after, c.before, 1e-6 * c.step_after_ns, 1e-6 * c.step_before_ns)},
      {"rows", std::move(rows)}};
}

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
  const auto at = text.find(mark);
  return at == text.npos ? text : text.replace(at, mark.size(), by);
}

// Returns JSON that cannot end the HTML element that contains it.
std::string embedded(const json& data) {
  std::string text;
  for (const char c : data.dump(-1, ' ', true, json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string html_report(const Recording& recording, const Analysis& analysis, const Comparison* comparison) {
  json data = ops_json(recording, analysis);
  data["ops"] = ops_of(analysis, recording);
  data["programs"] = json::array();
  for (const Program& program : recording.programs) data["programs"].push_back(program_json(program));
  data["timeline"] = timeline_json(recording);
  for (std::size_t i = 0; i < analysis.steps.size(); ++i)
    data["steps"][i]["begin"] =
        static_cast<std::int64_t>(analysis.steps[i].begin_ns - recording.spans.front().begin_ns);
  data["schedule"] = schedule_json(recording);
  data["memory"] = memory_json(recording, analysis);
  data["diagnosis"] = diagnosis_json(recording, analysis, diagnose(recording, analysis));
  data["compare"] = comparison ? compare_json(*comparison) : json();
  std::string page = replaced(std::string(assets::report_html), "/*STYLE*/", assets::report_css);
  page = replaced(std::move(page), "/*SCRIPT*/", assets::report_js);
  return replaced(std::move(page), "/*DATA*/", embedded(data));
}

}  // namespace weft::profile
