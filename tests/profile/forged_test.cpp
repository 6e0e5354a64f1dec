// Forged recordings: their digests are right, but everything else may be wrong. Each one must cause an Error or be shown.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <tests/error_of.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/temporary_folder.h>
#include <weft/profile/analysis.h>
#include <weft/profile/chunk.h>
#include <weft/profile/compare.h>
#include <weft/profile/description_json.h>
#include <weft/profile/doctor.h>
#include <weft/profile/graph_view.h>
#include <weft/profile/html.h>
#include <weft/profile/memory.h>
#include <weft/profile/perfetto.h>
#include <weft/profile/recording.h>
#include <weft/profile/report.h>
#include <weft/profile/table.h>
#include <weft/profile/timeline.h>
#include <weft/profile/xplane.h>
#include <weft/runtime/hlo_text.h>

namespace weft::profile {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;
using testing::SizeIs;

// A recording, written chunk by chunk.
class Forged {
 public:
  Forged() {
    add(ChunkKind::about, json{{"host", "here"}});
    add(ChunkKind::strings, json{"device", "thunk", "host", "launch", "step"});
    add(ChunkKind::threads, json{"main", "device"});
  }

  void add(ChunkKind kind, const json& value) { writer_.write(kind, value.dump()); }
  void add_text(ChunkKind kind, const std::string& text) { writer_.write(kind, text); }
  void add(const std::vector<Span>& spans) { writer_.write(ChunkKind::spans, std::as_bytes(std::span(spans))); }
  Recording read() const { return read_recording(folder_.path()); }
  std::string error() const {
    return error_of([&] { read(); });
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  ChunkWriter writer_{folder_ / recording_file};
};

json op(const std::string& name, json reads = json::array(), json writes = json::array()) {
  return {{"name", name},
          {"category", "dot"},
          {"source", ""},
          {"scope", ""},
          {"flops", 1},
          {"bytes", 1},
          {"reads", std::move(reads)},
          {"writes", std::move(writes)}};
}

json program(const std::string& name, json contents = {}, json ops = json::array(), json allocations = json::array()) {
  return {{"name", name},
          {"ops", std::move(ops)},
          {"allocations", std::move(allocations)},
          {"donated", json::array()},
          {"temporary_bytes", 0},
          {"peak_bytes", 0},
          {"contents", std::move(contents)}};
}

json event(const std::string& subject) {
  return {{"kind", "recompile"}, {"subject", subject}, {"place", ""}, {"reason", ""}, {"remedy", ""},
          {"cost_ms", 1},        {"bytes", 0},         {"count", 1},  {"time_ns", 1}};
}

// Returns the spans of an execution of the ops of program 0, from 0 to `ns`.
std::vector<Span> execution(std::int32_t ops, std::uint64_t ns = 1000) {
  std::vector<Span> spans = {{.category = 0, .name = 0, .thread = 1, .program = 0, .end_ns = ns, .number = 1}};
  for (std::int32_t i = 0; i < ops; ++i)
    spans.push_back({.category = 1, .name = 1, .thread = 1, .program = 0, .op = i, .end_ns = 1, .number = 1});
  return spans;
}

// Returns an instruction of type f32[], as JSON.
json instruction(const std::string& name, const std::string& opcode = "tanh", json operands = json::array()) {
  return {{"name", name},
          {"opcode", opcode},
          {"shape", json::array({json::array({"f32", json::array()})})},
          {"operands", std::move(operands)}};
}

json computation(const std::string& name, json instructions) {
  return {{"name", name}, {"root", 0}, {"instructions", std::move(instructions)}};
}

json contents(json computations, json thunks = json::array()) {
  return {{"name", "m"}, {"computations", std::move(computations)}, {"thunks", std::move(thunks)}};
}

// Returns the description of a program with only this entry; each of its instructions is run by a thunk.
json entry(json instructions) {
  std::vector<std::size_t> thunks;
  for (std::size_t i = 0; i < instructions.size(); ++i) thunks.push_back(i);
  return contents(json::array({computation("m", std::move(instructions))}), thunks);
}

std::string refusal(const json& of) {
  return error_of([&] { description_from(JsonValue(of)); });
}

// Returns the error for a program whose only instruction has one changed member.
std::string refusal(const char* member, const json& value) {
  json one = instruction("a");
  one[member] = value;
  return refusal(contents(json::array({computation("m", json::array({one}))})));
}

TEST(Forged, AThunkMayRunNoInstruction) {
  constexpr std::uint32_t none = runtime::ProgramDescription::no_instruction;
  const json a = instruction("a");
  EXPECT_EQ(refusal(contents(json::array({computation("m", json::array({a}))}), {none})), "");
}

TEST(Forged, IndicesLeadToWhatStandsBefore) {
  const json a = instruction("a");
  EXPECT_EQ(refusal(entry(json::array({a, instruction("b", "tanh", {0})}))), "");
  EXPECT_EQ(refusal("operands", {0}), "'operands' must be the index of an earlier entry, is 0");
  EXPECT_EQ(refusal(entry(json::array({a, instruction("b", "tanh", {1})}))),
            "'operands' must be a whole number from 0 to 0, is 1");
  EXPECT_EQ(refusal(entry(json::array({a, instruction("b", "tanh", {-1})}))),
            "'operands' must be a whole number from 0 to 0, is -1");
  EXPECT_EQ(refusal("calls", {0}), "'calls' must be the index of an earlier entry, is 0");
  EXPECT_EQ(refusal(contents(json::array(), {0})), "'thunks' must be the index of an earlier entry, is 0");
  EXPECT_EQ(refusal(contents(json::array({computation("m", json::array({a}))}), {1})),
            "'thunks' must be a whole number from 0 to 0, is 1");
  EXPECT_EQ(refusal(contents(json::array({computation("m", json::array())}))),
            "'root' must be the index of an instruction (there are none), is 0");
  json far = computation("m", json::array({a}));
  far["root"] = 1;
  EXPECT_EQ(refusal(contents(json::array({far}))), "'root' must be a whole number from 0 to 0, is 1");
}

TEST(Forged, ShapesAreThoseOfTensors) {
  const auto one = [](const char* dtype, json sizes) { return json::array({json::array({dtype, std::move(sizes)})}); };
  EXPECT_EQ(refusal("shape", one("f32", {8, 256})), "");
  EXPECT_EQ(refusal("shape", json::array()), "'shape' must be one type, is a list of 0");
  EXPECT_THAT(refusal("shape", one("f31", {8})), HasSubstr("'shape' must be a dtype"));
  EXPECT_THAT(refusal("shape", one("f32", {-8})), HasSubstr("'shape' must be a whole number from 0"));
  EXPECT_THAT(refusal("shape", one("f32", json(std::vector<int>(30'000, 1)))), HasSubstr("at most 32 dimensions"));
  EXPECT_THAT(refusal("shape", one("f32", {1'000'000'000, 1'000'000'000})), HasSubstr("2^56 elements"));
  EXPECT_THAT(refusal("dims", {"input 0 dim 0"}), HasSubstr("'dims' must be a list of 0, is a list of 1"));
}

TEST(Forged, ListsHaveTheNumbersThatTheyMustHave) {
  EXPECT_EQ(refusal("literal", {0, 0, 128, 63}), "");
  EXPECT_THAT(refusal("literal", {0, 0, 128}), HasSubstr("'literal' must be the bytes of the constant's elements"));
  EXPECT_THAT(refusal("literal", {0, 0, 128, 256}), HasSubstr("'literal' must be a whole number from 0 to 255"));
  const json dims = {0, 3, 1, 2}, list = {1, 1};
  EXPECT_EQ(refusal("convolution", {dims, dims, dims}), "");
  EXPECT_THAT(refusal("convolution", {dims, dims}), HasSubstr("'convolution' must be a list of 3"));
  EXPECT_THAT(refusal("convolution", {dims, dims, {0}}), HasSubstr("'convolution' must be the dimensions of a side"));
  EXPECT_THAT(refusal("convolution", {dims, dims, {0, 4, 1, 2}}), HasSubstr("a whole number from 0 to 3, is 4"));
  EXPECT_THAT(refusal("window", {list, list}), HasSubstr("'window' must be a list of 6"));
  EXPECT_THAT(refusal("attributes", json::array({{"a", 0.5, false}})),
              HasSubstr("'attributes' must be a whole number"));
}

// Lists whose lengths do not fit the opcode are shown as they are.
TEST(Forged, WhatFitsNoOpcodeIsShown) {
  const json rows = json::array({json::array({1}), json::array()});
  json instructions = json::array();
  for (const char* opcode :
       {"parameter", "constant", "dot", "gather", "scatter", "convolution", "slice", "pad", "while", "conditional",
        "select-and-scatter", "fusion", "tuple", "get-tuple-element", "iota"}) {
    json one = instruction(opcode, opcode, instructions.empty() ? json::array() : json::array({0}));
    one["attributes"] = json::array({{"slice", rows, false}, {"padding", rows, false}, {"index", {1}, false}});
    one["window"] = json::array({{3, 3}, {1}, {0}, json::array(), json::array(), {1, 1, 1}});
    one["tuple"] = one["opcode"] == "conditional";
    instructions.push_back(std::move(one));
  }
  Forged forged;
  json ops = json::array();
  for (const json& one : instructions) ops.push_back(op(one["name"]));
  const auto count = static_cast<std::int32_t>(ops.size());
  forged.add(ChunkKind::program, program("step", entry(std::move(instructions)), std::move(ops)));
  forged.add(execution(count));
  const Recording recording = forged.read();
  const Analysis analysis = analyse(recording);
  EXPECT_FALSE(xspace(recording, analysis).empty());
  EXPECT_FALSE(html_report(recording, analysis).empty());
  EXPECT_THAT(graph_text(recording.programs[0].description, {.expand = true}), HasSubstr("15 of 15 operations"));
}

TEST(Forged, NothingIsSharedThatViewsWouldRepeat) {
  json fusion = instruction("a", "fusion"), other = instruction("b", "fusion");
  fusion["calls"] = other["calls"] = {0};
  const json fused = computation("f", json::array({instruction("c")}));
  EXPECT_EQ(refusal(contents(json::array({fused, computation("m", json::array({fusion}))}), {0})), "");
  EXPECT_EQ(refusal(contents(json::array({fused, computation("m", json::array({fusion, other}))}))),
            "several fusions call f");
  EXPECT_EQ(refusal(contents(json::array({computation("m", json::array({instruction("c")}))}), {0, 0})),
            "several thunks run one instruction");
}

TEST(Forged, AProgramHasOneInstructionForEachOp) {
  Forged forged;
  forged.add(ChunkKind::program,
             program("step", entry(json::array({instruction("a")})), json::array({op("a"), op("b")})));
  EXPECT_THAT(forged.error(), HasSubstr("a program of 2 ops whose description has 1"));
}

TEST(Forged, LongNamesAreNotRepeated) {
  const std::string name(100'000, 'n'), other(100'000, 'o');
  json instructions = json::array({instruction(name, "parameter")}), operands = json::array({0});
  for (int i = 0; i < 1000; ++i) {
    instructions.push_back(instruction("a" + std::to_string(i), "tanh", {i}));
    operands.push_back(i);
  }
  for (int i = 0; i < 100; ++i) instructions.push_back(instruction(other, "add", operands));
  const json all = contents({computation("m", std::move(instructions))});
  const runtime::ProgramDescription program = description_from(JsonValue(all));
  const std::string dot = graph_dot(program, {.expand = true});
  EXPECT_THAT(dot, AllOf(HasSubstr("\"a998\" -> \"a999\""), SizeIs(Lt(20'000'000u))));
  EXPECT_THAT(hlo_text(program), SizeIs(Lt(2'000'000u)));
}

TEST(Forged, DeepJsonIsRefused) {
  const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
  for (const ChunkKind kind : {ChunkKind::about, ChunkKind::strings, ChunkKind::event, ChunkKind::metrics}) {
    Forged forged;
    forged.add_text(kind, kind == ChunkKind::about ? "{\"x\":" + deep + "}" : deep);
    EXPECT_THAT(forged.error(), HasSubstr("the recording is damaged: its JSON is nested more than 64 deep"));
  }
}

TEST(Forged, WhatIsWrongIsSaidInOurWords) {
  const auto refusal = [](ChunkKind kind, const std::string& text) {
    Forged forged;
    forged.add_text(kind, text);
    const std::string error = forged.error();
    EXPECT_THAT(error, AllOf(HasSubstr("the recording is damaged: "), Not(HasSubstr("json.exception"))));
    return error;
  };
  for (const ChunkKind kind : {ChunkKind::about, ChunkKind::strings, ChunkKind::threads, ChunkKind::program,
                               ChunkKind::event, ChunkKind::metrics, ChunkKind::roofs, ChunkKind::end})
    for (const char* text : {"", "{", "7", "\"x\"", "[7]", "[[]]", "null", "\xff"}) refusal(kind, text);
  EXPECT_THAT(refusal(ChunkKind::about, R"({"host":7})"), HasSubstr("'host' must be a text, is 7"));
  EXPECT_THAT(refusal(ChunkKind::metrics, R"({"counters":{},"metrics":{"CompileTime":{"max":"x"}}})"),
              HasSubstr("'max' must be a number"));
  EXPECT_THAT(refusal(ChunkKind::metrics, R"({"counters":[]})"), HasSubstr("'counters' must be an object"));
  EXPECT_THAT(refusal(ChunkKind::roofs, R"({"flops":-1,"memory_bytes":1,"cache_bytes":1})"),
              HasSubstr("'flops' must be a number from 0 to 1e18"));
  json wrong = program("step", {}, json::array({op("a", json::array({{0, 0, 1}}))}));
  EXPECT_THAT(refusal(ChunkKind::program, wrong.dump()), HasSubstr("slices"));
  wrong["allocations"] = json::array({{0, 0, 1, 0}});
  wrong["ops"][0]["reads"][0][0] = 1;
  EXPECT_THAT(refusal(ChunkKind::program, wrong.dump()), HasSubstr("'reads' must be a whole number from 0 to 0, is 1"));
  wrong["allocations"][0][0] = 4;
  EXPECT_THAT(refusal(ChunkKind::program, wrong.dump()), HasSubstr("'allocations' must be a whole number from 0 to 3"));
}

TEST(Forged, ProgramsOfOneNameAreNumbered) {
  Forged forged;
  forged.add(ChunkKind::program, program("step #3"));
  for (int i = 0; i < 20'000; ++i) forged.add(ChunkKind::program, program("step"));
  const auto programs = forged.read().programs;
  EXPECT_EQ(programs[1].name, "step");
  EXPECT_EQ(programs[2].name, "step #2");
  EXPECT_EQ(programs[3].name, "step #4");
  EXPECT_EQ(programs.back().name, "step #20001");
}

TEST(Forged, SpansReferToWhatIsThere) {
  const auto refusal = [](const Span& span) {
    Forged forged;
    forged.add({span});
    return forged.error();
  };
  EXPECT_EQ(refusal({}), "");
  for (const Span& span : {Span{.category = 5}, Span{.name = 5}, Span{.thread = 2}, Span{.program = 0}, Span{.op = 0}})
    EXPECT_THAT(refusal(span), HasSubstr("a span that refers to nothing"));
  EXPECT_THAT(refusal({.begin_ns = 2, .end_ns = 1}), HasSubstr("a span from 2 ns to 1 ns"));
  EXPECT_THAT(refusal({.end_ns = ~std::uint64_t{0}}), HasSubstr("a span from 0 ns to"));
}

TEST(Forged, AShorterListOfThreadsIsRefused) {
  Forged forged;
  forged.add({{.thread = 1, .end_ns = 5}});
  forged.add(ChunkKind::threads, json::array({"main"}));
  EXPECT_THAT(forged.error(), HasSubstr("a list of 1 threads follows one of 2"));
}

TEST(Forged, LongTimesAndLargeSumsDoNotOverflow) {
  constexpr std::uint64_t long_ns = std::uint64_t{1} << 62, large = ~std::uint64_t{0};
  Forged forged;
  json large_program = program("step", entry(json::array({instruction("a", "constant")})),
                               json::array({op("a", json::array({{0, 0, 1}, {1, 0, 1}}))}),
                               json::array({{3, 0, large, large}, {0, 0, large, 0}}));
  large_program["ops"][0]["flops"] = 1e18;
  forged.add(ChunkKind::program, large_program);
  forged.add(execution(1, long_ns));
  forged.add(execution(1, long_ns));
  const Recording recording = forged.read();
  const Analysis analysis = analyse(recording);
  EXPECT_EQ(analysis.busy_ns, long_ns);
  EXPECT_EQ(program_memory(recording.programs[0]).peak, large + large);
  EXPECT_FALSE(xspace(recording, analysis).empty());
  EXPECT_FALSE(html_report(recording, analysis).empty());
}

TEST(Forged, OutputStaysInProportion) {
  Forged forged;
  forged.add(ChunkKind::strings, json::array({std::string(1'000'000, 'x')}));
  json ops = json::array(), instructions = json::array();
  for (int i = 0; i < 2000; ++i) {
    ops.push_back(op("a"));
    instructions.push_back(instruction("a", "tanh", i < 1999 ? json::array() : json(std::vector<int>(300'000, 0))));
  }
  forged.add(ChunkKind::program, program("step", entry(std::move(instructions)), std::move(ops)));
  std::vector<Span> spans = execution(2000);
  for (int i = 0; i < 2000; ++i) spans.push_back({.category = 2, .name = 5, .end_ns = 1});
  forged.add(spans);
  const Recording recording = forged.read();
  const Analysis analysis = analyse(recording);
  EXPECT_THAT(perfetto_json(recording), SizeIs(Lt(5'000'000u)));
  EXPECT_THAT(ops_json(recording, analysis).dump(), SizeIs(Lt(10'000'000u)));
  EXPECT_THAT(xspace(recording, analysis), SizeIs(Lt(10'000'000u)));
  EXPECT_THAT(html_report(recording, analysis), SizeIs(Lt(20'000'000u)));
}

TEST(Forged, WorkGrowsWithTheFile) {
  constexpr int count = 30'000;
  Forged forged;
  json ops = json::array(), allocations = json::array(), writes = json::array(), reads = json::array(),
       donated = json::array(), instructions = json::array();
  for (int i = 0; i < count; ++i) {
    allocations.push_back({i % 2 ? 2 : 3, 0, 1, 0});
    (i % 2 ? reads : writes).push_back({i, 0, 1});
    donated.push_back(count - i);
    ops.push_back(op("a" + std::to_string(i)));
    instructions.push_back(instruction("a" + std::to_string(i), "constant"));
  }
  ops[0]["writes"] = writes;
  ops[0]["reads"] = reads;
  for (json& each : ops) each["category"] = "host";
  json large = program("step", entry(std::move(instructions)), std::move(ops), std::move(allocations));
  large["donated"] = std::move(donated);
  forged.add(ChunkKind::program, large);
  for (int i = 0; i < count; ++i) forged.add(ChunkKind::event, event("<<<<<<" + std::to_string(i)));
  std::vector<Span> spans = execution(count);
  // The launches of the steps end alternately at the beginning and at the end.
  for (int i = 0; i < count; ++i) {
    const std::uint64_t at = 10 * i;
    const std::uint64_t number = 2 + static_cast<std::uint64_t>(i);
    spans.push_back({.category = 4, .name = 4, .begin_ns = at, .end_ns = at + 8, .number = number});
    spans.push_back({.category = 2, .name = 3, .begin_ns = at + 1, .end_ns = at + 2, .number = number});
    spans.push_back(
        {.category = 0, .program = 0, .begin_ns = at, .end_ns = i % 2 ? at + 3 : 10 * count, .number = number});
  }
  forged.add(spans);
  const Recording recording = forged.read();
  const Analysis analysis = analyse(recording);
  EXPECT_EQ(analysis.ops.size(), 1u + count);
  EXPECT_FALSE(diagnose(recording, analysis).findings.empty());
  EXPECT_FALSE(html_report(recording, analysis).empty());
  EXPECT_FALSE(xspace(recording, analysis).empty());
}

TEST(Forged, NothingMovesTheCursorOfATerminal) {
  const std::string hostile = "a\x1b[2Jb";
  Forged forged;
  json ops = json::array({op(hostile)});
  ops[0]["scope"] = ops[0]["category"] = ops[0]["source"] = hostile;
  json one = instruction(hostile, hostile);
  one["scope"] = one["file"] = hostile;
  one["dims"] = {hostile};
  one["shape"][0][1] = {1};
  forged.add(ChunkKind::program, program(hostile, entry(json::array({one})), std::move(ops)));
  forged.add(ChunkKind::event, event(hostile));
  forged.add(execution(1));
  const Recording recording = forged.read();
  const Analysis analysis = analyse(recording);
  const Comparison comparison = compare(recording, analysis, recording, analysis);
  for (const std::string& text : {table(recording, analysis, 10), comparison_text(comparison),
                                  diagnosis_text(recording, analysis, diagnose(recording, analysis)),
                                  graph_text(recording.programs[0].description, {.expand = true})})
    EXPECT_THAT(text, AllOf(HasSubstr("[2J"), Not(HasSubstr("\x1b"))));
}

TEST(Forged, FilesAreWrittenWithinTheFolderOnly) {
  Forged forged;
  forged.add(ChunkKind::about, json{{"host", "../../../../../outside"}});
  const Recording recording = forged.read();
  EXPECT_THAT(write_report(recording, analyse(recording), forged.folder() / "a" / "b"), testing::IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(forged.folder() / "outside.xplane.pb"));
  EXPECT_TRUE(std::filesystem::exists(forged.folder() / "a/b/plugins/profile/b/.._.._.._.._.._outside.xplane.pb"));
}

}  // namespace
}  // namespace weft::profile
