#include <weft/profile/recording.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#include <weft/base/error.h>
#include <weft/profile/chunk.h>
#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

using nlohmann::json;

static_assert(std::is_trivially_copyable_v<Span> && sizeof(Span) == 48, "spans are written as they lie in memory");

void add_spans(Recording& recording, const std::string& payload) {
  const std::size_t count = payload.size() / sizeof(Span), before = recording.spans.size();
  require(count * sizeof(Span) == payload.size(), "spans of a wrong size");
  recording.spans.resize(before + count);
  std::memcpy(recording.spans.data() + before, payload.data(), payload.size());
  for (std::size_t i = before; i < recording.spans.size(); ++i) {
    const Span& s = recording.spans[i];
    const bool has_program = s.program >= 0;
    require(s.category < recording.strings.size() && s.name < recording.strings.size() &&
                s.thread < recording.threads.size() && s.end_ns >= s.begin_ns &&
                (!has_program || static_cast<std::size_t>(s.program) < recording.programs.size()) &&
                (s.op < 0 || (has_program && static_cast<std::size_t>(s.op) <
                                                 recording.programs[static_cast<std::size_t>(s.program)].ops.size())),
            "a span that refers to nothing");
  }
}

void add_end(Recording& recording, const json& end) {
  recording.complete = true;
  recording.dropped = end.at("dropped");
  recording.recording_ns = end.at("recording_ns");
}

void add_program(Recording& recording, Program program) {
  const std::string name = program.name;
  for (int number = 2; std::ranges::find(recording.programs, program.name, &Program::name) != recording.programs.end();
       ++number)
    program.name = concat(name, " #", number);
  recording.programs.push_back(std::move(program));
}

void add(Recording& recording, const ChunkReader::Chunk& chunk) {
  if (chunk.kind == ChunkKind::spans) return add_spans(recording, chunk.payload);
  const json value = json::parse(chunk.payload);
  switch (chunk.kind) {
    case ChunkKind::about: recording.about = value; break;
    case ChunkKind::strings:
      for (const json& text : value) recording.strings.push_back(text);
      break;
    case ChunkKind::threads: recording.threads = value.get<std::vector<std::string>>(); break;
    case ChunkKind::program: add_program(recording, program_from(value)); break;
    case ChunkKind::event: recording.events.push_back(event_from(value)); break;
    case ChunkKind::metrics:
      (recording.first_metrics.is_null() ? recording.first_metrics : recording.last_metrics) = value;
      break;
    case ChunkKind::roofs: recording.roofs = roofs_from(value); break;
    case ChunkKind::end: add_end(recording, value); break;
    case ChunkKind::load: recording.loads.push_back(load_from(value)); break;
    default: break;  // of a later version
  }
}

// Programs for different sizes may share a thunk; which of them ran is told by the launch, which may have ended, and been written,
// long after the thunk.
void find_programs(Recording& recording) {
  std::unordered_map<std::uint64_t, std::int32_t> program_of_launch;
  for (const Span& span : recording.spans)
    if (span.program >= 0 && span.op < 0) program_of_launch[span.number] = span.program;
  for (Span& span : recording.spans) {
    if (span.op < 0) continue;
    const auto launch = program_of_launch.find(span.number);
    if (launch == program_of_launch.end()) continue;
    const Program& program = recording.programs[static_cast<std::size_t>(launch->second)];
    if (static_cast<std::size_t>(span.op) < program.ops.size()) span.program = launch->second;
  }
}

// By their programs, of which several may have been given the same name.
void name_launches(Recording& recording) {
  const std::size_t first = recording.strings.size();
  for (const Program& program : recording.programs) recording.strings.push_back(program.name);
  for (Span& span : recording.spans)
    if (span.program >= 0 && span.op < 0)
      span.name = static_cast<std::uint32_t>(first + static_cast<std::size_t>(span.program));
}

}  // namespace

Recording read_recording(const std::filesystem::path& path) {
  std::error_code ignored;
  Recording recording;
  recording.file = std::filesystem::is_directory(path, ignored) ? path / recording_file : path;
  require(std::filesystem::exists(recording.file, ignored), path.string(), ": there is no recording of weft's",
          recording.file == path ? "" : concat(" (", recording_file, ") in this folder"));
  ChunkReader reader(recording.file);
  try {
    while (const auto chunk = reader.next()) add(recording, *chunk);
  } catch (const std::exception& wrong) {
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
