#include <weft/profile/serialize.h>

#include <algorithm>

#include <weft/base/error.h>

namespace weft::profile {

namespace {

using nlohmann::json;

constexpr std::size_t longest_name = 4096;

std::string shortened(const std::string& text) {
  return text.size() <= longest_name ? text : concat(text.substr(0, longest_name), "...");
}

json slices(const std::vector<runtime::Slice>& list) {
  json all = json::array();
  for (const runtime::Slice& s : list) all.push_back({s.allocation, s.offset, s.bytes});
  return all;
}

std::vector<runtime::Slice> slices_from(const json& list, std::size_t allocations) {
  std::vector<runtime::Slice> all;
  for (const json& s : list) all.push_back({s.at(0), s.at(1), s.at(2)});
  for (const runtime::Slice& s : all) require(s.allocation < allocations, "a slice of an allocation that is not there");
  return all;
}

}  // namespace

json to_json(const runtime::Executable& executable) {
  json ops = json::array(), allocations = json::array(), donated = json::array();
  for (const runtime::Output& output : executable.outputs)
    if (output.donated_input >= 0) donated.push_back(output.allocation);
  for (const auto& thunk : executable.thunks) {
    const runtime::ThunkInfo& info = thunk->info;
    ops.push_back({{"name", shortened(info.name)},
                   {"category", shortened(info.category)},
                   {"source", shortened(info.source)},
                   {"scope", shortened(info.scope)},
                   {"flops", info.flops},
                   {"bytes", info.bytes},
                   {"reads", slices(thunk->reads)},
                   {"writes", slices(thunk->writes)}});
  }
  for (const runtime::Allocation& a : executable.allocations)
    allocations.push_back({static_cast<int>(a.kind), a.index, a.bytes, a.offset});
  return {{"name", shortened(executable.name)},
          {"ops", std::move(ops)},
          {"allocations", std::move(allocations)},
          {"donated", std::move(donated)},
          {"temporary_bytes", executable.temporary_bytes},
          {"peak_bytes", executable.peak_bytes},
          {"hlo", executable.hlo ? executable.hlo() : ""}};
}

Program program_from(const json& from) {
  Program program{.name = from.at("name"),
                  .temporary_bytes = from.at("temporary_bytes"),
                  .peak_bytes = from.at("peak_bytes"),
                  .hlo = from.at("hlo")};
  for (const json& a : from.at("allocations")) {
    runtime::Allocation& allocation = program.allocations.emplace_back();
    allocation.kind = static_cast<runtime::Allocation::Kind>(std::clamp(a.at(0).get<int>(), 0, 3));
    allocation.index = a.at(1);
    allocation.bytes = a.at(2);
    allocation.offset = a.at(3);
  }
  program.donated = from.at("donated").get<std::vector<std::uint32_t>>();
  for (const json& op : from.at("ops")) {
    Op& made = program.ops.emplace_back();
    made.info = {op.at("name"), op.at("category"), op.at("source"), op.at("scope"), op.at("flops"), op.at("bytes")};
    made.reads = slices_from(op.at("reads"), program.allocations.size());
    made.writes = slices_from(op.at("writes"), program.allocations.size());
  }
  return program;
}

json to_json(const diagnostics::Event& event) {
  return {{"kind", diagnostics::name(event.kind)},
          {"subject", shortened(event.subject)},
          {"place", shortened(event.place)},
          {"reason", shortened(event.reason)},
          {"remedy", shortened(event.remedy)},
          {"cost_ms", event.cost_ms},
          {"bytes", event.bytes},
          {"count", event.count},
          {"time_ns", event.time_ns}};
}

diagnostics::Event event_from(const json& from) {
  diagnostics::Event event{.subject = from.at("subject"),
                           .place = from.at("place"),
                           .reason = from.at("reason"),
                           .remedy = from.at("remedy"),
                           .cost_ms = from.at("cost_ms"),
                           .bytes = from.at("bytes"),
                           .count = from.at("count"),
                           .time_ns = from.at("time_ns")};
  const auto kinds = diagnostics::kinds();
  const auto kind = std::ranges::find(kinds, from.at("kind").get<std::string>(), diagnostics::name);
  require(kind != kinds.end(), "an event of an unknown kind");
  event.kind = *kind;
  return event;
}

json to_json(const Roofs& roofs) {
  return {{"flops", roofs.flops}, {"memory_bytes", roofs.memory_bytes}, {"cache_bytes", roofs.cache_bytes}};
}

Roofs roofs_from(const json& from) { return {from.at("flops"), from.at("memory_bytes"), from.at("cache_bytes")}; }

json to_json(const Load& load) {
  return {{"time_ns", load.time_ns},
          {"cpu_ns", load.cpu_ns},
          {"waited_ns", load.waited_ns},
          {"preemptions", load.preemptions},
          {"machine_cpu_ns", load.machine_cpu_ns},
          {"stolen_ns", load.stolen_ns}};
}

Load load_from(const json& from) {
  return {.time_ns = from.at("time_ns"),
          .cpu_ns = from.at("cpu_ns"),
          .waited_ns = from.at("waited_ns"),
          .preemptions = from.at("preemptions"),
          .machine_cpu_ns = from.at("machine_cpu_ns"),
          .stolen_ns = from.at("stolen_ns")};
}

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }
std::string utf8(const std::string& text) { return json::parse(dump(text)).get<std::string>(); }

}  // namespace weft::profile
