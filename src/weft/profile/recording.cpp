#include <weft/profile/recording.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <type_traits>

#include <weft/base/error.h>
#include <weft/base/json.h>
#include <weft/profile/chunk.h>
#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

static_assert(std::is_trivially_copyable_v<Span> && sizeof(Span) == 48, "spans are written as they lie in memory");

// Passes the JSON of a chunk to `take` and returns its result.
auto read(const ChunkReader::Chunk& chunk, auto&& take) {
  const nlohmann::json value = parse_json(chunk.payload);
  return take(JsonValue(value, "a chunk"));
}

// Reads the chunks of a file one after the other. Digests do not tell who wrote them, so every index and every number is
// checked.
class Reader {
 public:
  explicit Reader(Recording& recording) : recording_(recording) {}

  void add(const ChunkReader::Chunk& chunk) {
    switch (chunk.kind) {
      case ChunkKind::about: recording_.about = read(chunk, about_from); break;
      case ChunkKind::strings: read(chunk, [this](const JsonValue& list) { add_strings(list); }); break;
      case ChunkKind::threads: read(chunk, [this](const JsonValue& list) { add_threads(list); }); break;
      case ChunkKind::program: add_program(read(chunk, program_from)); break;
      case ChunkKind::spans: add_spans(chunk.payload); break;
      case ChunkKind::event: recording_.events.push_back(read(chunk, event_from)); break;
      case ChunkKind::metrics:
        (recording_.first_metrics.is_null() ? recording_.first_metrics : recording_.last_metrics) =
            read(chunk, metrics_from);
        break;
      case ChunkKind::roofs: recording_.roofs = read(chunk, roofs_from); break;
      case ChunkKind::load: add_load(read(chunk, load_from)); break;
      case ChunkKind::end: read(chunk, [this](const JsonValue& end) { add_end(end); }); break;
      default: break;  // from a later version
    }
  }

 private:
  void add_strings(const JsonValue& list) {
    for (const JsonValue& text : list.list()) recording_.strings.push_back(name_from(text));
  }

  // Each list must include the threads of the previous one, because spans refer to them.
  void add_threads(const JsonValue& list) {
    std::vector<std::string> threads;
    for (const JsonValue& name : list.list()) threads.push_back(name_from(name));
    require(threads.size() >= recording_.threads.size(), "a list of ", threads.size(), " threads follows one of ",
            recording_.threads.size());
    recording_.threads = std::move(threads);
  }

  void add_program(Program program) {
    const std::string name = program.name;
    for (int& number = last_number_[name]; !names_.insert(program.name).second;)
      program.name = concat(name, " #", number = std::max(number + 1, 2));
    recording_.programs.push_back(std::move(program));
  }

  void add_load(const Load& load) {
    require(recording_.loads.empty() || recording_.loads.back().time_ns <= load.time_ns,
            "a load of the machine is earlier than the previous one");
    recording_.loads.push_back(load);
  }

  void add_spans(const std::string& payload) {
    const std::size_t count = payload.size() / sizeof(Span), before = recording_.spans.size();
    require(count * sizeof(Span) == payload.size(), "spans of a wrong size");
    recording_.spans.resize(before + count);
    std::memcpy(recording_.spans.data() + before, payload.data(), payload.size());
    for (std::size_t i = before; i < recording_.spans.size(); ++i) check(recording_.spans[i]);
  }

  void check(const Span& span) const {
    // 146 years, so that differences of times fit in signed numbers
    constexpr std::uint64_t most_ns = std::uint64_t{1} << 62;
    require(span.begin_ns <= span.end_ns && span.end_ns <= most_ns, "a span from ", span.begin_ns, " ns to ",
            span.end_ns, " ns");
    const auto& programs = recording_.programs;
    const auto program = static_cast<std::size_t>(span.program), op = static_cast<std::size_t>(span.op);
    const bool has_program = span.program >= 0, has_op = span.op >= 0;
    require(span.category < recording_.strings.size() && span.name < recording_.strings.size() &&
                span.thread < recording_.threads.size() && (!has_program || program < programs.size()) &&
                (!has_op || (has_program && op < programs[program].ops.size())),
            "a span that refers to nothing");
  }

  void add_end(const JsonValue& end) {
    recording_.complete = true;
    recording_.dropped = end.at("dropped").integer<std::uint64_t>();
    recording_.recording_ns = end.at("recording_ns").number();
  }

  Recording& recording_;
  std::set<std::string> names_;             // names of the programs
  std::map<std::string, int> last_number_;  // for programs with the same original name
};

// Sets the programs of thunks. Programs for different sizes may share a thunk; only the launch tells which of them ran, and it
// may have ended and been written long after the thunk.
void find_programs(Recording& recording) {
  std::map<std::uint64_t, std::int32_t> program_of_launch;
  for (const Span& span : recording.spans)
    if (span.program >= 0 && span.op < 0) program_of_launch[span.number] = span.program;
  for (Span& span : recording.spans) {
    if (span.op < 0) continue;
    const auto launch = program_of_launch.find(span.number);
    if (launch == program_of_launch.end()) continue;
    const Program& program = recording.programs[launch->second];
    if (static_cast<std::size_t>(span.op) < program.ops.size()) span.program = launch->second;
  }
}

// Names launches after their programs, of which several may originally have had the same name.
void name_launches(Recording& recording) {
  const std::size_t first = recording.strings.size();
  for (const Program& program : recording.programs) recording.strings.push_back(program.name);
  for (Span& span : recording.spans)
    if (span.program >= 0 && span.op < 0) span.name = first + span.program;
}

}  // namespace

Recording read_recording(const std::filesystem::path& path) {
  std::error_code ignored;
  Recording recording;
  recording.file = std::filesystem::is_directory(path, ignored) ? path / recording_file : path;
  if (!std::filesystem::exists(recording.file, ignored))
    fail(path.string(), ": there is no weft recording",
         recording.file == path ? "" : concat(" (", recording_file, ") in this folder"));
  ChunkReader reader(recording.file);
  Reader parts(recording);
  try {
    while (const auto chunk = reader.next()) parts.add(*chunk);
  } catch (const Error& wrong) {
    fail(recording.file.string(), ": the recording is damaged: ", wrong.what());
  }
  if (!reader.damage().empty())
    recording.notes.push_back(concat("the file ends early: ", reader.damage(), "; what came before is shown"));
  else if (!recording.complete)
    recording.notes.emplace_back(
        "the recorded process ended before the recording did; its last moments may be missing");
  find_programs(recording);
  name_launches(recording);
  std::ranges::stable_sort(recording.loads, {}, &Load::time_ns);
  std::ranges::stable_sort(recording.spans, [](const Span& a, const Span& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  return recording;
}

}  // namespace weft::profile
