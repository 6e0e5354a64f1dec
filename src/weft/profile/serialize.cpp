#include <weft/profile/serialize.h>

#include <algorithm>

#include <weft/base/error.h>
#include <weft/profile/description_json.h>

namespace weft::profile {

namespace {

using nlohmann::json;

// Viewers repeat the names of an op for each of its executions, so names are limited to fewer bytes than other texts.
constexpr std::size_t longest_name = 1024, longest_text = 4096;

std::string text_from(const JsonValue& value) { return shortened(value.text(), longest_text); }

json slices(const std::vector<runtime::Slice>& list) {
  json all = json::array();
  for (const runtime::Slice& s : list) all.push_back({s.allocation, s.offset, s.bytes});
  return all;
}

std::vector<runtime::Slice> slices_from(const JsonValue& list, std::size_t allocations) {
  require(allocations > 0 || list.list().empty(), "a program without allocations has slices of some");
  const std::uint32_t last = allocations - 1;
  std::vector<runtime::Slice> all;
  for (const JsonValue& slice : list.list()) {
    const auto parts = slice.list(3);
    all.push_back({parts[0].integer<std::uint32_t>(0, last), parts[1].integer<std::uint64_t>(),
                   parts[2].integer<std::uint64_t>()});
  }
  return all;
}

runtime::Allocation allocation_from(const JsonValue& from) {
  const auto parts = from.list(4);
  runtime::Allocation allocation;
  allocation.kind = static_cast<runtime::Allocation::Kind>(parts[0].integer<int>(0, 3));
  allocation.index = parts[1].integer<std::uint32_t>();
  allocation.bytes = parts[2].integer<std::uint64_t>();
  allocation.offset = parts[3].integer<std::uint64_t>();
  return allocation;
}

Op op_from(const JsonValue& from, std::size_t allocations) {
  return {{name_from(from.at("name")), name_from(from.at("category")), name_from(from.at("source")),
           name_from(from.at("scope")), amount_from(from.at("flops")), amount_from(from.at("bytes")),
           from.has("link_seconds") ? amount_from(from.at("link_seconds")) : 0},
          slices_from(from.at("reads"), allocations),
          slices_from(from.at("writes"), allocations)};
}

}  // namespace

json to_json(const ProgramOrder& order) {
  json ahead = json::array();
  for (std::size_t op = 0; op < order.is_ahead.size(); ++op)
    if (order.is_ahead[op]) ahead.push_back(op);
  return {{"after", order.after}, {"after_last", order.after_last}, {"ahead", std::move(ahead)}};
}

ProgramOrder order_from(const JsonValue& from, std::size_t ops) {
  ProgramOrder order{.after = {}, .after_last = {}, .is_ahead = std::vector<bool>(ops)};
  const auto read = [&](const char* name, std::vector<std::vector<std::uint32_t>>& lists, bool are_earlier) {
    for (const JsonValue& list : from.at(name).list(ops)) {
      std::vector<std::uint32_t>& numbers = lists.emplace_back();
      for (const JsonValue& op : list.list()) {
        const std::size_t count = are_earlier ? lists.size() - 1 : ops;
        if (count == 0) op.refuse("an earlier op (there are none)");
        numbers.push_back(op.integer<std::uint32_t>(0, count - 1));
      }
    }
  };
  read("after", order.after, true);
  read("after_last", order.after_last, false);
  for (const JsonValue& op : from.at("ahead").list()) order.is_ahead[op.integer<std::size_t>(0, ops - 1)] = true;
  return order;
}

json to_json(const runtime::Executable& executable) {
  json ops = json::array(), allocations = json::array(), donated = json::array();
  for (const runtime::Output& output : executable.outputs)
    if (output.donated_input >= 0) donated.push_back(output.allocation);
  for (const auto& thunk : executable.thunks) {
    const runtime::ThunkInfo& info = thunk->info;
    ops.push_back({{"name", shortened(info.name, longest_name)},
                   {"category", shortened(info.category, longest_name)},
                   {"source", shortened(info.source, longest_name)},
                   {"scope", shortened(info.scope, longest_name)},
                   {"flops", info.flops},
                   {"bytes", info.bytes},
                   {"reads", slices(thunk->reads)},
                   {"writes", slices(thunk->writes)}});
    if (info.link_seconds > 0) ops.back()["link_seconds"] = info.link_seconds;
  }
  for (const runtime::Allocation& a : executable.allocations)
    allocations.push_back({static_cast<int>(a.kind), a.index, a.bytes, a.offset});
  json made = {{"name", shortened(executable.name, longest_name)},
               {"ops", std::move(ops)},
               {"allocations", std::move(allocations)},
               {"donated", std::move(donated)},
               {"temporary_bytes", executable.temporary_bytes},
               {"peak_bytes", executable.peak_bytes},
               {"contents", executable.describe ? to_json(executable.describe()) : json()}};
  if (executable.schedule) made["order"] = to_json(order_of(executable));
  return made;
}

std::string name_from(const JsonValue& value) { return shortened(value.text(), longest_name); }

double amount_from(const JsonValue& value) {
  constexpr double most = 1e18;
  const double amount = value.number();
  if (!(amount >= 0 && amount <= most)) value.refuse("a number from 0 to 1e18");
  return amount;
}

Program program_from(const JsonValue& from) {
  Program program{.name = name_from(from.at("name")),
                  .temporary_bytes = from.at("temporary_bytes").integer<std::uint64_t>(),
                  .peak_bytes = from.at("peak_bytes").integer<std::uint64_t>()};
  for (const JsonValue& a : from.at("allocations").list()) program.allocations.push_back(allocation_from(a));
  from.at("donated").read(program.donated);
  for (const JsonValue& op : from.at("ops").list()) program.ops.push_back(op_from(op, program.allocations.size()));
  if (const JsonValue contents = from.at("contents"); !contents.value().is_null())
    program.description = description_from(contents);
  const auto& thunks = program.description.thunks;
  require(thunks.empty() || thunks.size() == program.ops.size(), "a program of ", program.ops.size(),
          " ops whose description has ", thunks.size());
  if (from.has("order")) program.order = order_from(from.at("order"), program.ops.size());
  return program;
}

json to_json(const diagnostics::Event& event) {
  return {{"kind", diagnostics::name(event.kind)},
          {"subject", shortened(event.subject, longest_text)},
          {"place", shortened(event.place, longest_text)},
          {"reason", shortened(event.reason, longest_text)},
          {"remedy", shortened(event.remedy, longest_text)},
          {"cost_ms", event.cost_ms},
          {"bytes", event.bytes},
          {"count", event.count},
          {"time_ns", event.time_ns}};
}

diagnostics::Event event_from(const JsonValue& from) {
  const auto kinds = diagnostics::kinds();
  const auto kind = std::ranges::find(kinds, from.at("kind").text(), diagnostics::name);
  require(kind != kinds.end(), "an event of an unknown kind");
  return {.kind = *kind,
          .subject = text_from(from.at("subject")),
          .place = text_from(from.at("place")),
          .reason = text_from(from.at("reason")),
          .remedy = text_from(from.at("remedy")),
          .cost_ms = amount_from(from.at("cost_ms")),
          .bytes = from.at("bytes").integer<std::uint64_t>(),
          .count = from.at("count").integer<std::uint64_t>(),
          .time_ns = from.at("time_ns").integer<std::uint64_t>()};
}

json to_json(const Roofs& roofs) {
  return {{"flops", roofs.flops}, {"memory_bytes", roofs.memory_bytes}, {"cache_bytes", roofs.cache_bytes}};
}

Roofs roofs_from(const JsonValue& from) {
  return {amount_from(from.at("flops")), amount_from(from.at("memory_bytes")), amount_from(from.at("cache_bytes"))};
}

json about_from(const JsonValue& from) {
  (void)from.members();
  for (const char* text : {"version", "command", "host", "cpu"})
    if (from.has(text)) (void)from.at(text).text();
  return from.value();
}

json metrics_from(const JsonValue& from) {
  for (const auto& [name, counter] : from.at("counters").members()) (void)counter.number();
  for (const auto& [name, metric] : from.at("metrics").members()) {
    (void)metric.members();
    for (const char* number : {"count", "total", "max"})
      if (metric.has(number)) (void)metric.at(number).number();
  }
  return from.value();
}

std::string dump(const json& value) { return print_json(value); }

json to_json(const Load& load) {
  return {{"time_ns", load.time_ns},
          {"cpu_ns", load.cpu_ns},
          {"waited_ns", load.waited_ns},
          {"preemptions", load.preemptions},
          {"machine_cpu_ns", load.machine_cpu_ns},
          {"stolen_ns", load.stolen_ns}};
}

Load load_from(const JsonValue& from) {
  Load load;
  from.at("time_ns").read(load.time_ns);
  from.at("cpu_ns").read(load.cpu_ns);
  from.at("waited_ns").read(load.waited_ns);
  from.at("preemptions").read(load.preemptions);
  from.at("machine_cpu_ns").read(load.machine_cpu_ns);
  from.at("stolen_ns").read(load.stolen_ns);
  return load;
}

std::string utf8(const std::string& text) { return json::parse(dump(text)).get<std::string>(); }

std::string shortened(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return concat(text.substr(0, end), "...");
}

std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

}  // namespace weft::profile
