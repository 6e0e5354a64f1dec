// A recorded run, and the output of the viewers for it.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <tests/support/names_in.h>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/knobs.h>
#include <weft/base/temporary_folder.h>
#include <weft/profile/analysis.h>
#include <weft/profile/chunk.h>
#include <weft/profile/compare.h>
#include <weft/profile/doctor.h>
#include <weft/profile/html.h>
#include <weft/profile/memory.h>
#include <weft/profile/recorder.h>
#include <weft/profile/report.h>
#include <weft/profile/scope.h>
#include <weft/profile/table.h>
#include <weft/profile/timeline.h>
#include <weft/runtime/hlo_text.h>
#include <weft/weft.h>

namespace weft::profile {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

// Three steps of a small model, compiled while they are recorded.
void record(const std::filesystem::path& folder, double factor = 1) {
  clear_graph_cache();
  const Scope scope(folder, "a test");
  Tensor w = full({64, 64}, 0.01 * factor);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Step step(i);
    const weft::Scope module("layer");
    const Tensor x = tanh(matmul(w, w)) + sum(w);
    w = x * 0.5f;
    sync();
  }
  synchronize();
}

struct Recorded {
  TemporaryFolder folder;
  Recording recording;
  Analysis analysis;

  Recorded() {
    record(folder.path());
    recording = read_recording(folder.path());
    analysis = analyse(recording);
  }

  static const Recorded& instance() {
    static const Recorded recorded;
    return recorded;
  }
};

TEST(Profile, ARunIsRecordedWhole) {
  const auto& [folder, recording, analysis] = Recorded::instance();
  EXPECT_TRUE(recording.complete);
  EXPECT_THAT(recording.notes, IsEmpty());
  EXPECT_EQ(recording.dropped, 0u);
  EXPECT_EQ(recording.about.at("command"), "a test");
  EXPECT_EQ(analysis.launches, 3u);
  EXPECT_EQ(analysis.steps.size(), 2u);  // for the first step it is unknown when it began on the device
  EXPECT_EQ(analysis.step_source, "step scopes");
  EXPECT_EQ(analysis.steps[1].number, 2u);
  EXPECT_GT(recording.roofs.flops, 0);
  EXPECT_GT(recording_share(recording), 0);
  EXPECT_THAT(names_in(folder.path()),
              testing::ElementsAre("ops.json", "plugins", "recording.weft", "report.html", "trace.json"));
}

TEST(Profile, TheLoadOfTheMachineIsRecorded) {
  const Recording& recording = Recorded::instance().recording;
  ASSERT_GE(recording.loads.size(), 2u);
  const Load &first = recording.loads.front(), &last = recording.loads.back();
  EXPECT_LT(first.time_ns, last.time_ns);
  EXPECT_LE(first.machine_cpu_ns, last.machine_cpu_ns);
  EXPECT_LE(first.waited_ns, last.waited_ns);
  EXPECT_GT(last.cpu_ns, first.cpu_ns);
  EXPECT_GE(recording.about.at("cpus"), 1);
  EXPECT_TRUE(recording.about.at("settings").is_object());
}

TEST(Profile, SpansOfTheHostSayWhatTheyAre) {
  const json timeline = timeline_json(Recorded::instance().recording);
  const auto names = timeline["names"].get<std::set<std::string>>();
  EXPECT_THAT(names, testing::Contains("step 2"));
  EXPECT_THAT(names, testing::Not(testing::Contains("event")));
  EXPECT_EQ(timeline["names"].size(), timeline["categories"].size());
  std::set<std::string> lanes;
  for (const json& lane : timeline["lanes"]) lanes.insert(lane["name"]);
  EXPECT_THAT(lanes, testing::Contains("host · main thread"));
}

TEST(Profile, TimesAddUp) {
  const Analysis& analysis = Recorded::instance().analysis;
  EXPECT_EQ(analysis.busy_ns + analysis.gap(), analysis.wall_ns());
  EXPECT_EQ(analysis.ops_ns, analysis.busy_ns);
  EXPECT_NEAR(analysis.ops.back().cumulative_share, 1, 1e-9);
  for (const StepStats& step : analysis.steps) {
    EXPECT_EQ(step.busy_ns + step.gap(), step.wall_ns());
    EXPECT_LE(step.slow(), step.busy_ns);
  }
  for (const Period& period : {analysis.startup, analysis.ending})
    EXPECT_EQ(period.busy_ns + period.gap(), period.wall_ns());
  for (std::size_t i = 1; i < analysis.ops.size(); ++i) EXPECT_LE(analysis.ops[i].self_ns, analysis.ops[i - 1].self_ns);
}

TEST(Profile, OpsOfALaunchThatWasDroppedAreNotCounted) {
  Recording part = Recorded::instance().recording;
  const auto is_launch = [&](const Span& span) { return part.category(span) == "device"; };
  const auto last = std::ranges::find_if(part.spans.rbegin(), part.spans.rend(), is_launch);
  ASSERT_NE(last, part.spans.rend());
  part.spans.erase(std::next(last).base());
  const Analysis analysis = analyse(part);
  EXPECT_EQ(analysis.launches, 2u);
  EXPECT_EQ(analysis.ops_ns, analysis.busy_ns);
  EXPECT_NEAR(analysis.ops.back().cumulative_share, 1, 1e-9);
}

TEST(Profile, ThePageIsBounded) {
  Recording large = Recorded::instance().recording;
  const auto host = std::ranges::find_if(large.spans, [&](const Span& span) { return large.category(span) == "host"; });
  ASSERT_NE(host, large.spans.end());
  Span one = *host;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    one.end_ns = one.begin_ns + 1 + i % 3;
    large.spans.push_back(one);
  }
  const json timeline = timeline_json(large);
  std::size_t shown = 0;
  for (const json& lane : timeline["lanes"]) shown += lane["spans"].size();
  EXPECT_LT(shown, 45'000u);
  EXPECT_THAT(timeline["note"].get<std::string>(), HasSubstr("short events are not shown"));
}

TEST(Profile, OpsKnowTheirKindPlaceAndWork) {
  const auto& [folder, recording, analysis] = Recorded::instance();
  const auto dot = std::ranges::find(analysis.ops, "dot", &OpStats::category);
  ASSERT_NE(dot, analysis.ops.end());
  EXPECT_EQ(dot->scope, "layer");
  EXPECT_THAT(dot->source, HasSubstr("profile_test.cpp:"));
  EXPECT_EQ(dot->flops, 2.0 * 64 * 64 * 64);
  EXPECT_GT(dot->predicted_ns, 0);
  const json ops = ops_json(recording, analysis).at("ops");
  std::set<std::string> texts;
  for (const json& op : ops)
    if (op["category"] != "launch") texts.insert(op["text"].get<std::string>().substr(0, 1));
  EXPECT_THAT(texts, testing::ElementsAre("%"));  // the instruction of each thunk is known
}

TEST(Profile, TheSameOpsAreTheSameInAnotherRun) {
  const auto& [folder, recording, analysis] = Recorded::instance();
  const TemporaryFolder other;
  {
    const Tensor before = ones({3}) * 2;  // changes the numbers of everything that follows
    sync();
    record(other.path(), 2);
  }
  const Recording again = read_recording(other.path());
  const Comparison comparison = compare(recording, analysis, again, analyse(again));
  int both = 0;
  for (const OpChange& op : comparison.ops) both += !op.name_before.empty() && !op.name_after.empty();
  EXPECT_GE(both, 3);
  EXPECT_THAT(comparison_text(comparison), HasSubstr("layer/"));
  EXPECT_THAT(html_report(again, analyse(again), &comparison), HasSubstr("operations are matched by"));
}

TEST(Profile, PerfettoGetsLanesAndArrows) {
  const auto& [folder, recording, analysis] = Recorded::instance();
  const json trace = json::parse(read_file(folder / "trace.json"));
  std::set<std::string> lanes;
  int starts = 0, ends = 0, ops = 0;
  for (const json& event : trace.at("traceEvents")) {
    if (event["name"] == "process_name") lanes.insert(event["args"]["name"]);
    starts += event["ph"] == "s";
    ends += event["ph"] == "f";
    ops += event["ph"] == "X" && event["cat"] == "thunk";
  }
  EXPECT_THAT(lanes, testing::ElementsAre("compile", "copy", "device", "host", "loader", "queue"));
  EXPECT_EQ(starts, 3);
  EXPECT_EQ(ends, 3);
  EXPECT_GE(ops, 3);
}

TEST(Profile, MemoryAtThePeakIsOfLinesOfTheUser) {
  const Recording& recording = Recorded::instance().recording;
  const ProgramMemory memory = program_memory(recording.programs.at(0));
  std::uint64_t alive = 0;
  for (const LiveValues& values : memory.live) alive += values.bytes;
  EXPECT_EQ(alive, memory.peak);
  EXPECT_EQ(memory.peak, *std::ranges::max_element(memory.points));
  EXPECT_THAT(memory.live, testing::Contains(testing::Field(&LiveValues::source, HasSubstr("profile_test.cpp:"))));
}

TEST(Profile, ThePageNeedsNoNetworkAndKeepsTextText) {
  const auto& [folder, recording, analysis] = Recorded::instance();
  Recording hostile = recording;
  hostile.about["command"] = "</script><script>alert(1)</script><!-- \xff";
  const std::string page = html_report(hostile, analysis);
  EXPECT_THAT(page, testing::Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Profile, ProgramsHaveNamesAndContentsWheneverTheyWereCompiled) {
  clear_graph_cache();
  const auto twice = compile([](const Tensor& x) { return tanh(x) * 2; }, {.dynamic = Dynamic::off, .name = "twice"});
  const auto sized = compile([](const Tensor& x) { return exp(x) + 1; }, {.name = "sized"});
  const Tensor four = ones({4}), five = ones({5}), six = ones({6});
  for (const Tensor& x : {four, five, six}) sized(x);  // from the second on, one program for many sizes
  twice(four);
  synchronize();
  const TemporaryFolder folder;
  {
    const Scope scope(folder.path());
    twice(four), twice(five), sized(five), sized(six);
    const Tensor sum = four + 3;
    sync();
  }
  const Recording recording = read_recording(folder.path());
  std::vector<std::string> names;
  for (const Program& program : recording.programs) {
    names.push_back(program.name);
    ASSERT_TRUE(program.description.of_thunk(0)) << program.name;
    EXPECT_EQ(program.description.of_thunk(0)->name, runtime::hlo_name(program.ops.at(0).info.name));
  }
  EXPECT_THAT(names, testing::ElementsAre("twice", "twice #2", "sized", "sized #2",
                                          testing::StartsWith("sync at profile_test.cpp:")));
  EXPECT_THAT(hlo_text(recording.programs[3].description), HasSubstr("f32[6]{0}"));
  std::set<std::string> launched;
  for (const Span& span : recording.spans)
    if (span.program >= 0 && span.op < 0) launched.insert(recording.name(span));
  EXPECT_EQ(launched, std::set<std::string>(names.begin(), names.end()));
  for (const Program& program : recording.programs)
    EXPECT_THAT(table(recording, analyse(recording)), HasSubstr(program.name));
}

// The profile's figures for the ops of each size's program: category, work, time at the roofs.
using Work = std::multiset<std::tuple<std::string, double, double, double>>;

std::map<std::string, Work> work_of_sizes(Dynamic dynamic) {
  static const CustomOp host =
      custom_op("profile_test.host", {.compute = [](const HostCall& call) {
                  std::ranges::copy(call.inputs[0].data<float>(), call.outputs[0].data<float>().begin());
                }});
  clear_graph_cache();
  const Tensor w = full({48, 32}, 0.01), table = full({10, 32}, 0.5);
  const auto f = compile(
      [&](const Tensor& x, const Tensor& words) {
        const Tensor y = softmax(matmul(x, w)) + embedding(table, words);
        return std::vector{
            y, sum(y, 0), sum(exp(x) * x), sort(y, 0), cumsum(y, 0), host(y) * 2, index_add(table, 0, words, y)};
      },
      {.dynamic = dynamic, .name = "step"});
  std::vector<std::pair<Tensor, Tensor>> inputs;
  for (const std::int64_t rows : {24, 28}) inputs.emplace_back(full({rows, 48}, 0.1), remainder(arange(rows), 10));
  synchronize();
  const TemporaryFolder folder;
  {
    const Scope scope(folder.path());
    for (const auto& [x, words] : inputs) f(x, words);
    synchronize();
  }
  EXPECT_EQ(f.explain().compiles, dynamic == Dynamic::on ? 1u : 2u);
  Recording recording = read_recording(folder.path());
  recording.roofs = {.flops = 1e9, .memory_bytes = 1e9, .cache_bytes = 1e9};
  std::map<std::string, Work> work;
  for (const OpStats& op : analyse(recording).ops)
    if (op.op >= 0) work[op.program_name].emplace(op.category, op.flops, op.bytes, op.predicted_ns);
  return work;
}

TEST(Profile, AProgramForManySizesDoesTheWorkOfTheSizesThatRan) {
  const auto sized = work_of_sizes(Dynamic::on), fixed = work_of_sizes(Dynamic::off);
  EXPECT_THAT(sized, testing::ContainerEq(fixed));
  EXPECT_THAT(fixed, testing::SizeIs(2));
}

TEST(Profile, NumbersThatSizesDecideAreNoInputs) {
  clear_graph_cache();
  const auto f = compile([](const Tensor& x) { return mean(x * x); }, {.dynamic = Dynamic::on, .name = "f"});
  const Tensor four = ones({4}), eight = ones({8});
  synchronize();
  const TemporaryFolder folder;
  {
    const Scope scope(folder.path());
    f(four), f(eight);
    synchronize();
  }
  EXPECT_EQ(f.explain().compiles, 1u);
  const Recording recording = read_recording(folder.path());
  ASSERT_THAT(recording.programs, testing::SizeIs(2));
  for (const auto& [i, size, share] : {std::tuple(0u, "4", "0.25"), {1u, "8", "0.125"}}) {
    const std::string hlo = hlo_text(recording.programs[i].description);
    EXPECT_THAT(hlo, HasSubstr(concat("entry_computation_layout={(f32[", size, "]{0})->f32[]}")));
    EXPECT_THAT(hlo, HasSubstr(concat("constant(", share, ")")));
  }
}

// Returns the origins of all sizes in the programs of a recording.
std::set<std::string> origins_of_sizes(const Recording& recording) {
  std::set<std::string> origins;
  for (const Program& program : recording.programs)
    for (const runtime::Instruction& instruction : program.description.entry()->instructions)
      origins.insert(instruction.dims.begin(), instruction.dims.end());
  return origins;
}

TEST(Profile, NamesOfInputsStartAnewAfterACompilationThatFailed) {
  clear_graph_cache();
  const auto f = compile(
      [](const Tensor& a, const Tensor& b) {
        const Tensor y = exp(a);
        {
          const knobs::Override<knobs::Text> wrong(knobs::link, "no link");
          EXPECT_THROW((void)y.to_vector<float>(), Error);
        }
        return std::vector{y * 2, exp(b)};
      },
      {.name = "f"});
  const Tensor three = ones({3}), five = ones({5});
  const TemporaryFolder folder;
  {
    const Scope scope(folder.path());
    f(three, five);
    synchronize();
  }
  const std::set<std::string> origins = origins_of_sizes(read_recording(folder.path()));
  EXPECT_THAT(origins, testing::IsSupersetOf({"argument 0 dim 0", "argument 1 dim 0"}));
}

TEST(Recording, WhatAKilledProcessLeftIsReadAsFarAsItGoes) {
  const auto& [folder, recording, analysis] = Recorded::instance();
  const std::string whole = read_file(recording.file);
  const TemporaryFolder cut;
  for (std::size_t size = 17; size < whole.size(); size += 97) {
    write_file(cut / recording_file, whole.substr(0, size));
    const Recording part = read_recording(cut.path());
    EXPECT_FALSE(part.complete);
    EXPECT_EQ(part.notes.size(), 1u);
    EXPECT_LE(part.spans.size(), recording.spans.size());
    if (size % 5 != 0) continue;
    EXPECT_FALSE(table(part, analyse(part)).empty());
  }
}

TEST(Recording, DamageIsToldAndForeignFilesAreRefused) {
  const auto& [folder, recording, analysis] = Recorded::instance();
  const TemporaryFolder damaged;
  const std::string whole = read_file(recording.file);
  for (std::size_t at = 20; at < whole.size(); at += 211) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    write_file(damaged / recording_file, changed);
    const Recording part = read_recording(damaged.path());
    EXPECT_FALSE(part.complete) << at;
    ASSERT_FALSE(part.notes.empty());
  }
  const auto refusal = [&](const std::filesystem::path& path) {
    try {
      read_recording(path);
    } catch (const Error& wrong) {
      return std::string(wrong.what());
    }
    return std::string("nothing");
  };
  write_file(damaged / "foreign", "PK\x03\x04 a zip");
  EXPECT_THAT(refusal(damaged / "foreign"), HasSubstr("is not a weft recording"));
  EXPECT_THAT(refusal(damaged / "nowhere"), HasSubstr("there is no weft recording"));
  write_file(damaged / "empty", "");
  EXPECT_THAT(refusal(damaged / "empty"), HasSubstr("is not a weft recording"));
}

TEST(Recording, StrangeNamesDoNoHarm) {
  static const std::string quoted = "quo\"te\nnew \xff\xfe line", huge(1 << 20, 'x');
  const TemporaryFolder folder;
  {
    const Scope scope(folder.path());
    trace::add("host", quoted.c_str(), 1, 2);
    trace::add("host", huge.c_str(), 2, 3);
  }
  const Recording recording = read_recording(folder.path());
  EXPECT_TRUE(recording.complete);
  EXPECT_TRUE(json::accept(read_file(folder / "trace.json")));
  EXPECT_LT(read_file(folder / "trace.json").size(), 100'000u);
}

TEST(Recording, StrangeNamesOfModulesAreShownAsTheyAre) {
  const std::string quoted = "quo\"te\\s'<script>", line = "new\nline, {a=1}", bytes = "bad \xff\xfe",
                    huge(1 << 20, 'm');
  const TemporaryFolder folder;
  {
    const Scope scope(folder.path());
    for (int i = 0; i < 2; ++i) {
      const Step step(static_cast<std::uint64_t>(i));
      Tensor x = ones({32, 32});
      for (const std::string& name : {quoted, line, bytes, huge}) {
        const weft::Scope module(name);
        x = matmul(x, x) * 0.01;
      }
      (void)sum(x).item();
    }
  }
  const Recording recording = read_recording(folder.path());
  const Analysis analysis = analyse(recording);
  std::set<std::string> scopes;
  for (const OpStats& op : analysis.ops)
    if (op.name.starts_with("dot")) scopes.insert(op.scope);
  const auto cut = testing::AllOf(testing::StartsWith("mmm"), testing::SizeIs(testing::Lt(10'000u)));
  EXPECT_THAT(scopes, testing::UnorderedElementsAre(quoted, line, "bad \uFFFD\uFFFD", cut));
  EXPECT_THAT(write_report(recording, analysis, folder.path()), testing::IsEmpty());
  const std::string page = read_file(folder / "report.html");
  EXPECT_THAT(page, Not(HasSubstr("<script>\"")));
  EXPECT_LT(page.size(), 2'000'000u);
  EXPECT_TRUE(json::accept(read_file(folder / "ops.json")));
}

TEST(Recording, IsBoundedAndCountsWhatItDrops) {
  const TemporaryFolder folder;
  Status status;
  constexpr std::uint64_t added = 300'000, kept = 1000;
  {
    Recorder recorder({.folder = folder.path(), .most_spans = kept});
    for (std::uint64_t i = 0; i < added; ++i) trace::add("host", "one", i, i + 1);
    status = recorder.stop();
  }
  EXPECT_TRUE(status) << status.reason();
  const Recording recording = read_recording(folder.path());
  EXPECT_LE(recording.spans.size(), kept);
  EXPECT_EQ(recording.spans.size() + recording.dropped, added);
}

TEST(Recording, AFolderThatCannotBeWrittenStopsNothing) {
  const TemporaryFolder folder;
  write_file(folder / "file", "in the way");
  testing::internal::CaptureStderr();
  {
    Scope scope(folder / "file");
    EXPECT_FALSE(trace::enabled());
    EXPECT_THAT(scope.finish().reason(), HasSubstr("file"));
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("nothing is recorded"));
}

TEST(Doctor, SaysOfWhichLineTheHintIs) {
  const TemporaryFolder folder;
  clear_graph_cache();
  {
    const Scope scope(folder.path());
    for (std::uint64_t i = 0; i < 24; ++i) {  // more steps than a window of hints has
      const Step step(i);
      Tensor x = ones({4});
      for (std::uint64_t k = 0; k <= i; ++k) x = x * 2.f;  // another graph in each step
      sync();
    }
  }
  const Recording recording = read_recording(folder.path());
  const auto findings = diagnose(recording, analyse(recording)).findings;
  for (const auto kind : {diagnostics::Kind::compile_too_frequent, diagnostics::Kind::graph_growth}) {
    const auto of_kind = [kind](const Finding& finding) { return finding.event.kind == kind; };
    const auto found = std::ranges::find_if(findings, of_kind);
    ASSERT_NE(found, findings.end()) << diagnostics::name(kind);
    EXPECT_EQ(std::ranges::count_if(findings, of_kind), 1);
    EXPECT_THAT(found->event.place, HasSubstr("profile_test.cpp:"));
  }
}

TEST(Doctor, TellsOfParametersThatGetNewMemory) {
  Parameter weight(ones({256}));
  const auto step = compile([&] { weight = weight.tensor() * 0.5f; }, {.name = "decay"});
  const TemporaryFolder folder;
  {
    const Scope scope(folder.path());
    const Tensor held = weight.tensor();
    step();
  }
  const Recording recording = read_recording(folder.path());
  const auto event = std::ranges::find(recording.events, diagnostics::Kind::missed_donation, &diagnostics::Event::kind);
  ASSERT_NE(event, recording.events.end());
  EXPECT_EQ(event->subject, "decay");
  EXPECT_EQ(event->bytes, 1024u);
  EXPECT_THAT(event->place, HasSubstr("profile_test.cpp:"));
  EXPECT_THAT(event->reason, HasSubstr("1 of the 1 parameters"));
}

TEST(Doctor, DoesNotBlameTheProgramForCopiesThatTheSearchForNansMakes) {
  const knobs::Override<knobs::Switch> nans(knobs::debug_nans, true);
  Parameter weight(ones({256}));
  const auto step = compile([&] { weight = weight.tensor() * 0.5f; }, {.name = "decay"});
  const TemporaryFolder folder;
  {
    const Scope scope(folder.path());
    for (int i = 0; i < 3; ++i) step();
    sync();
  }
  const Recording recording = read_recording(folder.path());
  EXPECT_EQ(std::ranges::count(recording.events, diagnostics::Kind::missed_donation, &diagnostics::Event::kind), 0);
}

}  // namespace
}  // namespace weft::profile
