// Reads arbitrary bytes as a recording of a profile: read_recording and every view of a recording must return a result or throw Error,
// within limits of time and memory. The mutator repairs the digests, so that its changes reach the readers behind them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fuzzers/recording_seed.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <weft/base/error.h>
#include <weft/base/json.h>
#include <weft/profile/analysis.h>
#include <weft/profile/chunk.h>
#include <weft/profile/compare.h>
#include <weft/profile/doctor.h>
#include <weft/profile/graph_view.h>
#include <weft/profile/html.h>
#include <weft/profile/memory.h>
#include <weft/profile/perfetto.h>
#include <weft/profile/serialize.h>
#include <weft/profile/table.h>
#include <weft/profile/xplane.h>
#include <weft/runtime/hlo_text.h>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace weft::profile;
using nlohmann::json;
using Random = std::minstd_rand;

constexpr std::string_view magic = "weft recording 2\n";
constexpr std::size_t header_bytes = 16;

struct Chunk {
  std::uint32_t kind = 0;
  std::string payload;
};

// Splits a file into its chunks, without checking digests. A truncated chunk is taken as far as it goes.
std::vector<Chunk> split(std::string_view file) {
  std::vector<Chunk> chunks;
  file.remove_prefix(file.starts_with(magic) ? magic.size() : 0);
  while (file.size() >= header_bytes) {
    std::uint32_t kind = 0, size = 0;
    std::memcpy(&kind, file.data(), sizeof kind);
    std::memcpy(&size, file.data() + sizeof kind, sizeof size);
    file.remove_prefix(header_bytes);
    const std::string_view payload = file.substr(0, size);
    chunks.push_back({kind, std::string(payload)});
    file.remove_prefix(payload.size());
  }
  return chunks;
}

std::string join(const std::vector<Chunk>& chunks) {
  std::string file(magic);
  for (const auto& [kind, payload] : chunks) {
    const auto size = static_cast<std::uint32_t>(payload.size());
    const std::uint64_t digest = XXH3_64bits_withSeed(payload.data(), payload.size(), kind);
    std::array<char, header_bytes> header;
    std::memcpy(header.data(), &kind, sizeof kind);
    std::memcpy(header.data() + 4, &size, sizeof size);
    std::memcpy(header.data() + 8, &digest, sizeof digest);
    file.append(header.data(), header.size());
    file += payload;
  }
  return file;
}

std::vector<Chunk> seed() {
  std::vector<Chunk> chunks;
  for (const auto& [kind, text] : weft::fuzzers::recording_seed)
    chunks.push_back({static_cast<std::uint32_t>(kind), std::string(text)});
  std::string spans;
  for (const Span& span : weft::fuzzers::seed_spans) spans.append(reinterpret_cast<const char*>(&span), sizeof span);
  chunks.push_back({static_cast<std::uint32_t>(ChunkKind::spans), spans});
  chunks.push_back({static_cast<std::uint32_t>(ChunkKind::end), R"({"dropped":0,"recording_ns":10})"});
  return chunks;
}

std::size_t below(Random& random, std::size_t count) { return count == 0 ? 0 : random() % count; }

std::string mutated_bytes(std::string text) {
  const std::size_t size = text.size();
  text.resize(size + 64);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  return text;
}

std::uint64_t number(Random& random) {
  constexpr std::array<std::uint64_t, 10> edges = {0,          1,          2,          1u << 31,   ~0u,
                                                   1ull << 53, 1ull << 62, 1ull << 63, ~0ull >> 1, ~0ull};
  return random() % 2 ? edges[below(random, edges.size())] : random() % 20;
}

void collect(json& value, std::vector<json*>& all) {
  all.push_back(&value);
  if (value.is_structured())
    for (json& element : value) collect(element, all);
}

void mutate(json& root, Random& random) {
  std::vector<json*> all;
  collect(root, all);
  json &value = *all[below(random, all.size())], &other = *all[below(random, all.size())];
  if (random() % 16 == 0) {
    const json copy = other;
    value = copy;
  } else if (value.is_string()) {
    value = mutated_bytes(value.get<std::string>());
  } else if (value.is_number()) {
    const std::uint64_t to = number(random);
    value = random() % 8 == 0 ? json(-0.5 * to) : json(to);
  } else if (value.is_array() && !value.empty()) {
    const std::size_t at = below(random, value.size());
    const json element = value[at];
    random() % 2 ? value.push_back(element) : value.erase(at);
  } else if (value.is_object() && !value.empty()) {
    value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(below(random, value.size()))));
  } else {
    value = json::array({value});
  }
}

void mutate_spans(std::string& payload, Random& random) {
  constexpr std::size_t bytes = sizeof(Span);
  if (payload.size() < bytes) return void(payload.append(bytes, '\0'));
  const std::size_t at = below(random, payload.size() / bytes) * bytes;
  Span span;
  std::memcpy(&span, payload.data() + at, bytes);
  switch (random() % 9) {
    case 0: span.category = static_cast<std::uint32_t>(number(random)); break;
    case 1: span.name = static_cast<std::uint32_t>(number(random)); break;
    case 2: span.thread = static_cast<std::uint32_t>(number(random)); break;
    case 3: span.program = static_cast<std::int32_t>(number(random)); break;
    case 4: span.op = static_cast<std::int32_t>(number(random)); break;
    case 5: span.begin_ns = number(random); break;
    case 6: span.end_ns = span.begin_ns + number(random); break;
    case 7: span.number = number(random); break;
    default: payload.append(reinterpret_cast<const char*>(&span), bytes);
  }
  std::memcpy(payload.data() + at, &span, bytes);
}

void mutate(Chunk& chunk, Random& random) {
  if (chunk.kind == static_cast<std::uint32_t>(ChunkKind::spans)) return mutate_spans(chunk.payload, random);
  try {
    json value = weft::parse_json(chunk.payload);
    if (random() % 16 == 0) return void(chunk.payload = mutated_bytes(chunk.payload));
    mutate(value, random);
    chunk.payload = weft::print_json(value);
  } catch (const weft::Error&) {
    chunk.payload = mutated_bytes(chunk.payload);
  }
}

// Returns the path of a file in memory with these bytes.
std::filesystem::path file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("recording", 0);
  WEFT_ASSERT(::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "no memory");
  return "/proc/self/fd/" + std::to_string(file);
}

template <class View>
void attempt(View&& view) {
  try {
    view();
  } catch (const weft::Error&) {  // a view may reject the content of a recording
  }
}

void show_program(const Program& program) {
  (void)program_memory(program);
  (void)hlo_text(program.description);
  const auto* const entry = program.description.entry();
  const std::string around = entry ? entry->instructions.back().name : "";
  for (const GraphViewOptions& options : {GraphViewOptions{.expand = true}, GraphViewOptions{.around = around}}) {
    attempt([&] { (void)graph_text(program.description, options); });
    attempt([&] { (void)graph_dot(program.description, options); });
  }
}

void show(const Recording& recording) {
  const Analysis analysis = analyse(recording);
  const Comparison comparison = compare(recording, analysis, recording, analysis);
  attempt([&] { (void)table(recording, analysis, 100); });
  attempt([&] { (void)weft::print_json(ops_json(recording, analysis)); });
  attempt([&] { (void)comparison_text(comparison); });
  attempt([&] { (void)weft::print_json(comparison_json(comparison)); });
  attempt([&] { (void)html_report(recording, analysis, &comparison); });
  attempt([&] { WEFT_ASSERT(json::accept(perfetto_json(recording)), "the trace is not JSON"); });
  attempt([&] { (void)xspace(recording, analysis); });
  const Diagnosis diagnosis = diagnose(recording, analysis);
  attempt([&] { (void)diagnosis_text(recording, analysis, diagnosis); });
  attempt([&] { (void)weft::print_json(diagnosis_json(recording, analysis, diagnosis)); });
  for (const Program& program : recording.programs) attempt([&] { show_program(program); });
}

std::size_t write(const std::string& file, std::uint8_t* data, std::size_t most) {
  if (file.size() > most) return 0;
  std::memcpy(data, file.data(), file.size());
  return file.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Recording recording;
  try {
    recording = read_recording(file_of(data, size));
  } catch (const weft::Error&) {
    return 0;
  }
  show(recording);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned number) {
  Random random(number);
  std::vector<Chunk> chunks = split({reinterpret_cast<const char*>(data), size});
  if (chunks.empty()) chunks = seed();
  const auto chunk = [&] { return chunks.begin() + (below(random, chunks.size())); };
  switch (random() % 12) {
    case 0: chunks.push_back(*chunk()); break;
    case 1: chunks.erase(chunk()); break;
    case 2: std::swap(*chunk(), *chunk()); break;
    default: mutate(*chunk(), random);
  }
  const std::size_t written = write(join(chunks), data, most);
  return written == 0 ? size : written;
}

// Combines chunks of both inputs; all chunks of one kind come from the same input.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                                 std::size_t b_size, std::uint8_t* out, std::size_t most,
                                                 unsigned number) {
  const std::vector<Chunk> first = split({reinterpret_cast<const char*>(a), a_size}),
                           second = split({reinterpret_cast<const char*>(b), b_size});
  std::vector<Chunk> chunks;
  const auto is_of_second = [number](const Chunk& chunk) { return (number >> (chunk.kind % 16) & 1) != 0; };
  for (const Chunk& chunk : first)
    if (!is_of_second(chunk)) chunks.push_back(chunk);
  for (const Chunk& chunk : second)
    if (is_of_second(chunk)) chunks.push_back(chunk);
  return write(join(chunks), out, most);
}
