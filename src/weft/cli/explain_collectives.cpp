#include <weft/cli/explain_collectives.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/json.h>
#include <weft/cli/command_line.h>
#include <weft/cli/divide.h>
#include <weft/cli/module_file.h>
#include <weft/cli/profile_folder.h>
#include <weft/compiler/spmd/describe_division.h>
#include <weft/compiler/spmd/predict.h>
#include <weft/compiler/spmd/remedies.h>
#include <weft/compiler/spmd/updated_inputs.h>
#include <weft/ir/place_text.h>
#include <weft/profile/collectives.h>

namespace weft::cli {

namespace {

using nlohmann::ordered_json;

struct Explained {
  std::shared_ptr<const ir::Graph> graph;
  compiler::Division division;
  compiler::PredictedStep predicted;
  compiler::Link link;

  std::string reason_of(const compiler::Division::Collective& collective) const {
    return compiler::reason_text(collective, [this](std::int32_t input) { return ir::input_name(*graph, input); });
  }
};

std::string text_of(const Explained& e) {
  std::string text = e.division.summary() + '\n';
  for (const std::string& joined : e.division.joined) text += joined + '\n';
  text += fmt::format(
      "predicted for all devices on one machine, with a link of {} GB/s and {} us: {:.3g} ms of communication in a "
      "step of {:.3g} "
      "ms, {:.3g} ms of it exposed\n",
      e.link.gb_s, e.link.latency_us, 1e3 * e.predicted.communication_seconds, 1e3 * e.predicted.seconds,
      1e3 * e.predicted.exposed_seconds);
  for (const compiler::Division::Collective& c : e.division.collectives) {
    text += concat('\n', compiler::cost_text(c), "\n  ", e.reason_of(c), '\n');
    for (const std::string& remedy : c.remedies) text += concat("  ", remedy, '\n');
  }
  return text;
}

std::string json_of(const Explained& e) {
  ordered_json collectives = ordered_json::array();
  for (const compiler::Division::Collective& c : e.division.collectives)
    collectives.push_back({{"collective", c.name},
                           {"operation", c.operation},
                           {"axes", c.axes},
                           {"sent_bytes", c.sent_bytes},
                           {"formula", c.formula},
                           {"reason", e.reason_of(c)},
                           {"remedies", c.remedies}});
  return print_json(ordered_json{{"mesh", e.division.mesh},
                                 {"devices", e.division.devices},
                                 {"sent_bytes", e.division.sent_bytes()},
                                 {"predicted",
                                  {{"step_ms", 1e3 * e.predicted.seconds},
                                   {"communication_ms", 1e3 * e.predicted.communication_seconds},
                                   {"exposed_ms", 1e3 * e.predicted.exposed_seconds}}},
                                 {"collectives", std::move(collectives)}}) +
         '\n';
}

}  // namespace

std::string explain_collectives(const std::string& file, const std::string& entry, bool json) {
  const ir::Module module = read_module(file);
  const compiler::Partitioned program = divide_and_join(*find_entry(module, file, entry), file);
  auto options = compiler::Options::from_knobs();
  options.devices = static_cast<std::uint32_t>(program.mesh.devices());
  Explained explained{.graph = program.graph,
                      .division = compiler::describe_division(program),
                      .predicted = compiler::predict(program, options, compiler::updated_inputs(*program.whole)),
                      .link = options.link};
  compiler::add_remedies(
      program, options, [&](std::int32_t input) { return ir::input_name(*program.graph, input); }, explained.division);
  return json ? json_of(explained) : text_of(explained);
}

std::string explain_recorded_collectives(const std::filesystem::path& run, bool json) {
  const profile::Recording recording = profile::read_recording(run);
  const profile::Analysis analysis = profile::analyse(recording);
  if (json) return print_json(profile::collective_json(recording, analysis)) + '\n';
  warn_of_gaps(recording);
  return profile::collective_text(recording, analysis);
}

}  // namespace weft::cli
