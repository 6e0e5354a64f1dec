// Recordings that somebody forged: their digests are right, all else may be wrong. Each ends in an Error or is shown.
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
#include <weft/profile/doctor.h>
#include <weft/profile/graph_view.h>
#include <weft/profile/hlo.pb.h>
#include <weft/profile/hlo_proto.h>
#include <weft/profile/html.h>
#include <weft/profile/memory.h>
#include <weft/profile/perfetto.h>
#include <weft/profile/provenance.h>
#include <weft/profile/recording.h>
#include <weft/profile/report.h>
#include <weft/profile/table.h>
#include <weft/profile/timeline.h>
#include <weft/profile/xplane.h>

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

json program(const std::string& name, const std::string& hlo = "", json ops = json::array(),
             json allocations = json::array()) {
  return {{"name", name},
          {"ops", std::move(ops)},
          {"allocations", std::move(allocations)},
          {"donated", json::array()},
          {"temporary_bytes", 0},
          {"peak_bytes", 0},
          {"hlo", hlo}};
}

json event(const std::string& subject) {
  return {{"kind", "recompile"}, {"subject", subject}, {"place", ""}, {"reason", ""}, {"remedy", ""},
          {"cost_ms", 1},        {"bytes", 0},         {"count", 1},  {"time_ns", 1}};
}

// An execution of the ops of program 0, from 0 to `ns`.
std::vector<Span> execution(std::int32_t ops, std::uint64_t ns = 1000) {
  std::vector<Span> spans = {{.category = 0, .name = 0, .thread = 1, .program = 0, .end_ns = ns, .number = 1}};
  for (std::int32_t i = 0; i < ops; ++i)
    spans.push_back({.category = 1, .name = 1, .thread = 1, .program = 0, .op = i, .end_ns = 1, .number = 1});
  return spans;
}

std::string entry(const std::string& lines) { return "HloModule m\n\nENTRY %m () -> f32[] {\n" + lines + "}\n"; }

std::string all_dims(const std::string& lines) {
  const HloModule module = parse_hlo(entry(lines));
  const Provenance provenance(module);
  std::string text;
  for (const std::string& dim : provenance.of(module.entry()->instructions.back())) text += dim + "; ";
  return text;
}

TEST(Forged, NumbersThatFitNoShapeAreLeftOut) {
  const std::string x = "  %x = f32[2,3]{1,0} parameter(0)\n", s = "  %s = f32[] parameter(1)\n";
  EXPECT_EQ(all_dims(x + "  %b = f32[4,5] broadcast(%x), dimensions={99999,-1,1}\n"),
            "broadcast to 4; broadcast to 5; ");
  EXPECT_EQ(all_dims(x + "  %t = f32[3,2] transpose(%x), dimensions={77777,-5}\n"),
            "made by transpose; made by transpose; ");
  EXPECT_EQ(all_dims(x + s + "  %t = f32[3,2] transpose(%s), dimensions={1,0}\n"),
            "made by transpose; made by transpose; ");
  EXPECT_EQ(all_dims(x + "  %d = f32[2] dot(%x, %x), lhs_batch_dims={0,1,0,1,0,1,9,-9}, rhs_batch_dims={0,1}\n"),
            "input 0 dim 0; ");
  EXPECT_EQ(all_dims(x + s + "  %d = f32[2] dot(%s, %x), lhs_batch_dims={5}, rhs_contracting_dims={-1}\n"),
            "made by dot; ");
  EXPECT_EQ(all_dims(x + s + "  %c = f32[4,3] concatenate(%x, %s), dimensions={1}\n"),
            "input 0 dim 0; input 0 dim 1; ");
  EXPECT_EQ(all_dims(x + "  %c = f32[4,3] concatenate(%x, %x), dimensions={88888}\n"),
            "input 0 dim 0; input 0 dim 1; ");
  EXPECT_EQ(all_dims(x + "  %c = f32[4,3,2] concatenate(%x, %x), dimensions={2}\n"),
            "input 0 dim 0; input 0 dim 1; made by concatenate; ");
  EXPECT_EQ(all_dims(x + "  %t = (f32[2,3]) tuple(%x)\n  %g = f32[2,3] get-tuple-element(%t), index=-1\n"),
            "made by get-tuple-element; made by get-tuple-element; ");
  EXPECT_EQ(all_dims(x + "  %t = (f32[2,3]) tuple(%x)\n  %g = f32[7] get-tuple-element(%t), index=0\n"),
            "made by get-tuple-element; ");
  EXPECT_THAT(all_dims("  %x = f32[9223372036854775807,9223372036854775807,0,-3] parameter(-7)\n"
                       "  %r = f32[2,9223372036854775807,5] reshape(%x)\n"),
              HasSubstr("input -7 dim 0"));
}

TEST(Forged, AShapeHasNoMoreDimensionsThanTensorsHave) {
  std::string wide = "f32[1";
  for (int i = 0; i < 30'000; ++i) wide += ",1";
  std::string operands = "%x";
  for (int i = 0; i < 30'000; ++i) operands += ",%x";
  EXPECT_EQ(all_dims("  %x = " + wide + "] parameter(0)\n  %y = " + wide + "] add(" + operands + ")\n"), "");
}

// What a fusion computes, in which `lines` stand.
std::string fused(const std::string& name, const std::string& lines) {
  return "%" + name + " () -> f32[] {\n" + lines + "}\n\n";
}

std::string fusion(const std::string& name, const std::string& called) {
  return "  ROOT %" + name + " = f32[] fusion(), kind=kLoop, calls=%" + called + "\n";
}

TEST(Forged, AComputationIsFusedOnce) {
  const auto refusal = [](const std::string& text) { return error_of([&] { parse_hlo(text); }); };
  EXPECT_EQ(refusal(fused("f", fusion("a", "f")) + entry(fusion("b", "f"))), "HLO text: several fusions call %f");
  EXPECT_EQ(refusal(entry(fusion("b", "m"))), "HLO text: the fusion %b calls the entry");
  EXPECT_EQ(refusal(fused("f", "  %c = f32[] constant(0)\n") + entry(fusion("a", "f") + fusion("b", "f"))),
            "HLO text: several fusions call %f");
  std::string chain;
  for (int i = 0; i < 20'000; ++i) chain += fused("f" + std::to_string(i), fusion("a", "f" + std::to_string(i + 1)));
  EXPECT_EQ(refusal(chain + fused("f20000", "") + entry(fusion("a", "f0"))),
            "HLO text: the fusion %a is within another");
}

TEST(Forged, FusionsThatDoubleWithEachLevelAreRefused) {
  std::string levels;
  for (int i = 0; i < 60; ++i) {
    const std::string next = "f" + std::to_string(i + 1);
    levels += fused("f" + std::to_string(i), fusion("a", next) + fusion("b", next));
  }
  Forged forged;
  forged.add(ChunkKind::program, program("step", levels + fused("f60", "") + entry(fusion("a", "f0"))));
  const Recording recording = forged.read();
  EXPECT_EQ(error_of([&] { html_report(recording, analyse(recording)); }),
            "program step: HLO text: several fusions call %f1");
}

TEST(Forged, HloTextIsReadInOnePass) {
  const std::string digits(400'000, '1'), brackets(200'000, '['), tuples(500'000, '(');
  const auto closed = [](const std::string& shape) {
    return shape + std::string(std::ranges::count_if(shape, [](char c) { return c == '(' || c == '[' || c == '{'; }) -
                                   std::ranges::count(shape, ']'),
                               ')');
  };
  EXPECT_TRUE(integers(digits).empty());
  EXPECT_EQ(integers("a1b-2," + digits + " 3"), (std::vector<std::int64_t>{1, -2, 3}));
  EXPECT_TRUE(sizes_of("f32" + brackets).empty());
  std::string half = "(";
  for (int i = 0; i < 100'000; ++i) half += "f32[]{,";
  for (const std::string& shape : {tuples + "f32[1]", half, brackets, "(" + brackets, "]" + brackets}) {
    const HloModule module = parse_hlo(entry("  %x = " + closed(shape) + " sort()\n"));
    const Provenance provenance(module);
    proto::HloProto proto;
    EXPECT_TRUE(proto.ParseFromString(hlo_proto({.name = "m"}, module, 1)));
  }
  const HloModule module =
      parse_hlo(entry("  %x = f32[1] slice(), slice={" + std::string(300'000, ']') + std::string(1000, '[') + "}\n"));
  EXPECT_FALSE(hlo_proto({.name = "m"}, module, 1).empty());
}

TEST(Forged, TuplesAreShared) {
  std::string operands = "%x", lines = "  %x = f32[1,1,1,1]{0} parameter(0)\n";
  for (int i = 0; i < 30'000; ++i) operands += ",%x";
  lines += "  %t = (f32[1]) tuple(" + operands + ")\n";
  for (int i = 0; i < 10'000; ++i)
    lines += "  %w" + std::to_string(i) + " = (f32[1]) while(%" + (i ? "w" + std::to_string(i - 1) : "t") + ")\n";
  EXPECT_EQ(all_dims(lines + "  %g = f32[1,1,1,1] get-tuple-element(%w9999), index=30000\n"),
            "input 0 dim 0; input 0 dim 1; input 0 dim 2; input 0 dim 3; ");
  // Results of many operands.
  std::string results;
  for (int i = 0; i < 30'000; ++i) results += "s8[7],";
  EXPECT_EQ(all_dims("  %x = f32[1]{0} parameter(0)\n  %s = (" + results + ") sort(" + operands + ")\n"), "");
}

TEST(Forged, LongNamesAreNotRepeatedInDrawings) {
  const std::string name(100'000, 'n'), other(100'000, 'o');
  std::string lines = "  %" + name + " = f32[] parameter(0)\n";
  std::string operands = "%" + name;
  for (int i = 0; i < 1000; ++i)
    lines += "  %a" + std::to_string(i) + " = f32[] tanh(%a" + std::to_string(i - 1) + ")\n";
  for (int i = 0; i < 1000; ++i) operands += ", %a" + std::to_string(i);
  lines += "  %" + other + " = f32[] add(" + operands + ")\n";
  const HloModule module = parse_hlo(entry(lines));
  const std::string dot = graph_dot(module, {.expand = true});
  EXPECT_THAT(dot, AllOf(HasSubstr("\"a998\" -> \"a999\""), SizeIs(Lt(2'000'000u))));
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
  json wrong = program("step", "", json::array({op("a", json::array({{0, 0, 1}}))}));
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
  json large_program =
      program("step", entry("  %a = f32[] constant(0)\n"), json::array({op("a", json::array({{0, 0, 1}, {1, 0, 1}}))}),
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
  json ops = json::array();
  for (int i = 0; i < 2000; ++i) ops.push_back(op("a"));
  forged.add(ChunkKind::program,
             program("step", entry("  %a = f32[] tanh(" + std::string(1'000'000, 'b') + ")\n"), std::move(ops)));
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
       donated = json::array();
  std::string lines;
  for (int i = 0; i < count; ++i) {
    allocations.push_back({i % 2 ? 2 : 3, 0, 1, 0});
    (i % 2 ? reads : writes).push_back({i, 0, 1});
    donated.push_back(count - i);
    ops.push_back(op("a" + std::to_string(i)));
    lines += "  %a" + std::to_string(i) + " = f32[] constant(0)\n";
  }
  ops[0]["writes"] = writes;
  ops[0]["reads"] = reads;
  for (json& each : ops) each["category"] = "host";
  json large = program("step", entry(lines), std::move(ops), std::move(allocations));
  large["donated"] = std::move(donated);
  forged.add(ChunkKind::program, large);
  for (int i = 0; i < count; ++i) forged.add(ChunkKind::event, event("<<<<<<" + std::to_string(i)));
  std::vector<Span> spans = execution(count);
  // Steps whose launches end in turn at the beginning and at the end.
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::uint64_t>(10 * i);
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
  const std::string hlo =
      entry("  %a\x1b[2J = f32[1] tanh(%\x1b[2J), metadata={op_name=\"\\033[2J\" source_file=\"\\033[2J\"}\n");
  forged.add(ChunkKind::program, program(hostile, hlo, std::move(ops)));
  forged.add(ChunkKind::event, event(hostile));
  forged.add(execution(1));
  const Recording recording = forged.read();
  const Analysis analysis = analyse(recording);
  const Comparison comparison = compare(recording, analysis, recording, analysis);
  for (const std::string& text : {table(recording, analysis, 10), comparison_text(comparison),
                                  diagnosis_text(recording, analysis, diagnose(recording, analysis)),
                                  graph_text(parse_hlo(recording.programs[0].hlo), {.expand = true})})
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
