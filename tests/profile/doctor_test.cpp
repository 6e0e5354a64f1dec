// The doctor's findings for recordings with known times.
#include <weft/profile/doctor.h>

#include <algorithm>
#include <string>
#include <tests/profile/synthetic.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::profile {
namespace {

using diagnostics::Kind;
using testing::DoubleNear;
using testing::HasSubstr;

struct Examined {
  Recording recording;
  Analysis analysis;
  Diagnosis diagnosis;

  explicit Examined(const Synthetic& made)
      : recording(made.recording()), analysis(analyse(recording)), diagnosis(diagnose(recording, analysis)) {}

  const Finding* of(Kind kind) const {
    const auto found = std::ranges::find(diagnosis.findings, kind, [](const Finding& f) { return f.event.kind; });
    return found == diagnosis.findings.end() ? nullptr : &*found;
  }
  std::string text() const { return diagnosis_text(recording, analysis, diagnosis); }
  nlohmann::ordered_json json() const { return diagnosis_json(recording, analysis, diagnosis); }
};

void expect_sum(const Examined& examined) {
  const auto json = examined.json();
  double sum = json["computing_ms"].get<double>() + json["unexplained_ms"].get<double>();
  for (const auto& finding : json["findings"]) sum += finding["ms_per_step"].get<double>();
  EXPECT_NEAR(sum, json["step_ms"].get<double>(), 1e-9);
  double unexplained = 0;
  for (const auto& part : json["unexplained"]) unexplained += part.get<double>();
  EXPECT_NEAR(unexplained, json["unexplained_ms"].get<double>(), 1e-9);
  EXPECT_NEAR(json["lost_ms"].get<double>() + json["computing_ms"].get<double>(), json["step_ms"].get<double>(), 1e-9);
  for (const char* period : {"startup", "ending"}) {
    double parts = 0;
    for (const auto& [name, ms] : json[period].items()) parts += name == "ms" ? 0 : ms.get<double>();
    EXPECT_NEAR(parts, json[period]["ms"].get<double>(), 1e-9) << period;
  }
}

// Executions of 50 us, most of which are delayed to 7 ms.
Synthetic disturbed_runs() {
  Synthetic made;
  const auto program = made.program("main");
  double now_us = 100;
  for (int i = 0; i < 101; ++i) {
    const double us = i % 10 == 5 ? 50 : 7000;
    made.launch(program, now_us, now_us + us);
    now_us += us + 10;
  }
  return made;
}

TEST(Doctor, ThreadsThatWaitForACpuAreNotTheKernelsFault) {
  Synthetic made = disturbed_runs();
  made.load(0, 0, 0, 0, 0);
  made.load(800'000, 1'000'000, 0, 800'000, 1'600'000);
  const Examined examined(made);
  ASSERT_FALSE(examined.diagnosis.findings.empty());
  const Finding& first = examined.diagnosis.findings.front();
  EXPECT_EQ(first.event.kind, Kind::contention);
  EXPECT_THAT(first.ms_per_step, DoubleNear(0.9 * 6.95, 0.01));
  EXPECT_THAT(first.ms_per_step_p50, DoubleNear(6.95, 1e-9));
  EXPECT_THAT(first.event.reason, HasSubstr("other programs kept 1.00 of 2 CPUs busy, this one 1.00"));
  EXPECT_THAT(first.event.reason, HasSubstr("%op takes 0.050 ms at its fastest, 7.000 ms in the median"));
  EXPECT_THAT(first.event.reason, HasSubstr("waited 7.8"));  // ms per step
  EXPECT_THAT(examined.diagnosis.computing_ms, DoubleNear(0.05, 0.001));
  expect_sum(examined);
}

TEST(Doctor, NoMoreIsContentionThanThreadsWaited) {
  Synthetic made = disturbed_runs();
  made.load(0, 0);
  made.load(800'000, 80'000);
  const Examined some(made);
  ASSERT_NE(some.of(Kind::contention), nullptr);
  EXPECT_THAT(some.of(Kind::contention)->ms_per_step, DoubleNear(0.1 * some.diagnosis.step_ms, 0.01));
  EXPECT_THAT(some.of(Kind::contention)->event.remedy, HasSubstr("more threads that compute than CPUs"));
  expect_sum(some);
  const Examined none(disturbed_runs());
  EXPECT_EQ(none.of(Kind::contention), nullptr);
  EXPECT_THAT(none.diagnosis.computing_ms, DoubleNear(none.diagnosis.step_ms, 0.02));
}

TEST(Doctor, TimeThatTheHypervisorTookIsToldFromOtherPrograms) {
  Synthetic made = disturbed_runs();
  made.load(0, 0, 0);
  made.load(800'000, 0, 960'000);
  const Examined examined(made);
  EXPECT_EQ(examined.diagnosis.findings.front().event.kind, Kind::stolen_cpu);
  EXPECT_THAT(examined.diagnosis.findings.front().event.reason, HasSubstr("the hypervisor took 1.20 CPUs"));
  EXPECT_EQ(examined.of(Kind::contention), nullptr);
  expect_sum(examined);
}

TEST(Doctor, GapsThatAreLongOnlyWhileThreadsWaitAreTheMachines) {
  Synthetic made;
  const auto program = made.program("step");
  double now_us = 100;
  for (int i = 0; i < 41; ++i) {
    const double gap_us = i % 4 == 0 ? 100 : 900;
    made.step(program, now_us, now_us + gap_us, now_us + gap_us + 1000);
    now_us += gap_us + 1000;
  }
  made.load(0, 0);
  made.load(now_us, 2 * now_us);
  const Examined examined(made);
  ASSERT_NE(examined.of(Kind::contention), nullptr);
  EXPECT_THAT(examined.of(Kind::contention)->ms_per_step, DoubleNear(0.75 * 0.8, 1e-6));
  expect_sum(examined);
}

// Steps of 3 ms, each followed by as many checkpoints of 29 ms as `due` returns.
template <class Due>
Synthetic saving_steps(Due due) {
  Synthetic made;
  const auto program = made.program("training step");
  double now_us = 0;
  int reads = 0;
  for (int i = 0; i < 41; ++i) {
    made.step(program, now_us + 1, now_us + 10, now_us + 3000);
    now_us += 3000;
    ++reads;
    if (!due(i)) continue;
    made.host("checkpoint", "save", now_us, now_us + 29'000);
    made.host("checkpoint", "write", now_us + 9000, now_us + 29'000);
    made.host("copy", "read a result", now_us + 10, now_us + 9000);
    now_us += 29'000;
  }
  // The host reads each loss, and waits for it; this does not make the device idle.
  made.metric("TransferFromDeviceTime", reads, 1);
  made.metric("HostWaitTime", reads, 3 * reads);
  return made;
}

TEST(Doctor, TheManyReadsOfACheckpointWaitOnlyOnce) {
  const auto steps_with_waits = [](int waits) {
    Synthetic made;
    const auto program = made.program("training step");
    for (int i = 0; i < 41; ++i) made.step(program, 2000 * i + 100, 2000 * i + 500, 2000 * i + 1500);
    made.metric("TransferFromDeviceTime", 40 * 20, 1);  // a checkpoint reads every parameter
    made.metric("HostWaitTime", waits, 30);
    return made;
  };
  EXPECT_EQ(Examined(steps_with_waits(10)).of(Kind::transfer_too_frequent), nullptr);
  ASSERT_NE(Examined(steps_with_waits(40)).of(Kind::transfer_too_frequent), nullptr);
}

TEST(Doctor, CheckpointsAreNotReads) {
  const Examined examined(saving_steps([](int) { return true; }));
  ASSERT_FALSE(examined.diagnosis.findings.empty());
  const Finding& first = examined.diagnosis.findings.front();
  EXPECT_EQ(first.event.kind, Kind::checkpoint);
  EXPECT_THAT(first.ms_per_step, DoubleNear(29, 0.001));
  EXPECT_THAT(first.ms_per_step_p50, DoubleNear(29, 0.001));
  EXPECT_EQ(first.event.count, 40u);
  EXPECT_EQ(examined.of(Kind::transfer_too_frequent), nullptr);
  EXPECT_EQ(examined.of(Kind::device_gap), nullptr);
  EXPECT_THAT(examined.text(), HasSubstr("40 steps of 32.00 ms (median"));
  EXPECT_THAT(examined.text(), HasSubstr("29.00 ms a step: the device waits while a checkpoint is read or written"));
  EXPECT_THAT(examined.text(), HasSubstr("save less often (--save-every)"));
  expect_sum(examined);
}

TEST(Doctor, ARareCheckpointCostsTheMedianStepNothing) {
  const Examined examined(saving_steps([](int i) { return i % 10 == 5; }));
  const Finding* found = examined.of(Kind::checkpoint);
  ASSERT_NE(found, nullptr);
  EXPECT_THAT(found->ms_per_step, DoubleNear(2.9, 0.001));
  EXPECT_EQ(found->ms_per_step_p50, 0);
  EXPECT_THAT(examined.text(), HasSubstr("2.900 ms a step on average (0.000 ms in the median step)"));
  EXPECT_THAT(examined.text(),
              HasSubstr("40 steps of 3.000 ms (median; from 3.000 ms to 32.00 ms, 5.900 ms on average)"));
  expect_sum(examined);
}

// The host records for 1 ms between two executions.
Synthetic gapped_steps() {
  Synthetic made;
  const auto program = made.program("step");
  for (int i = 0; i < 21; ++i) {
    const double begin_us = 3000 * i;
    made.step(program, begin_us + 1, begin_us + 1000, begin_us + 3000);
  }
  return made;
}

TEST(Doctor, ASettingThatMakesTheDeviceIdleIsItsReason) {
  const Examined plain(gapped_steps());
  ASSERT_NE(plain.of(Kind::device_gap), nullptr);
  EXPECT_THAT(plain.of(Kind::device_gap)->ms_per_step, DoubleNear(1, 0.01));
  expect_sum(plain);

  Synthetic made = gapped_steps();
  made.setting("WEFT_SYNCHRONOUS", "1", "0");
  made.event(Kind::transfer_too_frequent, 30'000, 5);
  const Examined examined(made);
  ASSERT_EQ(examined.diagnosis.findings.size(), 1u);
  const Finding& only = examined.diagnosis.findings.front();
  EXPECT_EQ(only.event.kind, Kind::slow_setting);
  EXPECT_EQ(only.event.subject, "WEFT_SYNCHRONOUS=1, usually 0");
  EXPECT_EQ(only.event.remedy, "unset WEFT_SYNCHRONOUS");
  EXPECT_THAT(only.ms_per_step, DoubleNear(1, 0.01));
  expect_sum(examined);
}

TEST(Doctor, SettingsThatSlowKernelsComeFirst) {
  Synthetic made = saving_steps([](int) { return true; });
  made.setting("WEFT_FUSE", "0", "1");
  made.setting("WEFT_CACHE", "0", "1");
  made.setting("WEFT_CACHE_DIR", "/somewhere", "");     // has no influence on speed
  made.setting("WEFT_RUN_AHEAD_LAUNCHES", "100", "8");  // more is not slower
  const Examined examined(made);
  std::vector<std::string> subjects;
  for (const Finding& finding : examined.diagnosis.findings) subjects.push_back(finding.event.subject);
  EXPECT_THAT(subjects, testing::ElementsAre("WEFT_FUSE=0, usually 1", "", "WEFT_CACHE=0, usually 1"));
  EXPECT_EQ(examined.diagnosis.findings[1].event.kind, Kind::checkpoint);
  EXPECT_THAT(examined.text(), HasSubstr("1. cost not measured: a setting that slows the program down"));
}

TEST(Doctor, FewerThreadsThanCpusAreASetting) {
  Synthetic made = gapped_steps();
  Recording recording = made.recording();
  recording.about["threads"] = 1;
  const Diagnosis diagnosis = diagnose(recording, analyse(recording));
  EXPECT_THAT(diagnosis.findings.front().event.reason, HasSubstr("kernels run on 1 of 2 CPUs"));
}

TEST(Doctor, RecompilesClaimTheStepsThatWaitedForThem) {
  Synthetic made;
  const auto program = made.program("step");
  double now_us = 0;
  for (int i = 0; i < 21; ++i) {
    const double begin_us = now_us;
    if (i % 7 == 0) {
      const double ms = i == 0 ? 200 : 40;
      made.host("compile", "compile", now_us, now_us + 1e3 * ms);
      now_us += 1e3 * ms;
      made.event(Kind::recompile, now_us, ms, "x was 4");
    }
    made.host("step", "train", begin_us - 1, now_us + 1000, static_cast<std::uint64_t>(i));
    now_us += 3000;
    made.launch(program, now_us - 3000, now_us);
  }
  const Examined examined(made);
  ASSERT_EQ(examined.diagnosis.findings.size(), 1u);
  const Finding& only = examined.diagnosis.findings.front();
  EXPECT_EQ(only.event.count, 3u);
  EXPECT_THAT(only.ms_per_step, DoubleNear(4, 1e-6));  // 80 ms in 20 steps
  EXPECT_EQ(only.ms_per_step_p50, 0);
  EXPECT_THAT(only.startup_ms, DoubleNear(200, 0.01));
  EXPECT_THAT(examined.text(), HasSubstr("before the first step was done 203.0 ms: compiling 200.0 ms"));
  expect_sum(examined);
}

TEST(Doctor, CostsThatNoStepWaitedForAreNotAdded) {
  Synthetic made = gapped_steps();
  made.event(Kind::recompile, 30'000, 4000, "on another thread");
  const Examined examined(made);
  ASSERT_NE(examined.of(Kind::recompile), nullptr);
  EXPECT_EQ(examined.of(Kind::recompile)->ms_per_step, 0);
  EXPECT_THAT(examined.text(), HasSubstr("4000.0 ms, but no step waited for it"));
  expect_sum(examined);
}

TEST(Doctor, CopiesOfWhatIsHeldAreTakenFromComputing) {
  Synthetic made = gapped_steps();
  for (int i = 1; i < 21; ++i) made.event(Kind::missed_donation, 3000 * i + 2000, 0.5);
  const Examined examined(made);
  ASSERT_NE(examined.of(Kind::missed_donation), nullptr);
  EXPECT_THAT(examined.of(Kind::missed_donation)->ms_per_step, DoubleNear(0.5, 1e-6));
  EXPECT_THAT(examined.diagnosis.computing_ms, DoubleNear(1.5, 0.01));
  expect_sum(examined);
}

TEST(Doctor, OperationsWithoutAKernelCostTheirTime) {
  Synthetic made;
  const auto program = made.program("step", "host fallback");
  for (int i = 0; i < 5; ++i) made.step(program, 3000 * i + 1, 3000 * i + 1000, 3000 * i + 3000);
  made.event(Kind::host_fallback, 1, 0, "sort");
  const Examined examined(made);
  const Finding* found = examined.of(Kind::host_fallback);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->event.subject, "%op");
  EXPECT_EQ(found->event.count, 5u);
  EXPECT_THAT(found->ms_per_step, DoubleNear(2, 1e-6));
  EXPECT_THAT(found->event.reason, HasSubstr("2.000 ms each time"));
  expect_sum(examined);
}

TEST(Doctor, ValidationIsNotTheStepsOwnWork) {
  Synthetic made;
  const auto step = made.program("step"), loss = made.program("loss");
  double now_us = 0;
  for (int i = 0; i < 11; ++i) {
    made.step(step, now_us + 1, now_us + 10, now_us + 1000);
    now_us += 1000;
    if (i % 5 != 4) continue;
    made.host("validation", "validate", now_us, now_us + 5000);
    for (int k = 0; k < 4; ++k) made.launch(loss, now_us + 1000 * k + 100, now_us + 1000 * k + 1000);
    now_us += 5000;
  }
  const Examined examined(made);
  ASSERT_NE(examined.of(Kind::validation), nullptr);
  EXPECT_THAT(examined.of(Kind::validation)->ms_per_step, DoubleNear(1, 1e-6));
  EXPECT_EQ(examined.of(Kind::validation)->event.count, 2u);
  expect_sum(examined);
}

TEST(Doctor, WhatHappensOnceIsApart) {
  Synthetic made;
  const auto program = made.program("step");
  made.host("hash", "digest of a file", 0, 160'000);
  made.host("compile", "compile", 160'000, 200'000);
  made.step(program, 200'001, 200'002, 220'000);  // 20 ms: the first run touches new memory
  for (int i = 0; i < 10; ++i) made.step(program, 220'000 + 1000 * i, 220'001 + 1000 * i, 221'000 + 1000 * i);
  made.host("checkpoint", "save", 230'000, 260'000);
  const Examined examined(made);
  EXPECT_TRUE(examined.diagnosis.findings.empty());
  const auto json = examined.json();
  EXPECT_THAT(json["startup"]["hashing"].get<double>(), DoubleNear(160, 0.01));
  EXPECT_THAT(json["startup"]["compile"].get<double>(), DoubleNear(40, 0.01));
  EXPECT_THAT(json["startup"]["first_run"].get<double>(), DoubleNear(19, 0.01));
  EXPECT_THAT(json["ending"]["checkpoint"].get<double>(), DoubleNear(30, 0.01));
  EXPECT_THAT(examined.text(),
              HasSubstr("before the first step was done 220.0 ms: hashing files 160.0 ms, compiling 40.00 ms, "
                        "first runs of programs 19.00 ms"));
  EXPECT_THAT(examined.text(), HasSubstr("after the last step 30.00 ms: checkpoints 30.00 ms"));
  expect_sum(examined);
}

TEST(Doctor, ARunOfOneLaunchIsAllStartup) {
  Synthetic made;
  made.launch(made.program("main"), 1000, 3000);
  const Examined examined(made);
  EXPECT_THAT(examined.text(), HasSubstr("computing 2.000 ms"));
  EXPECT_THAT(examined.text(), HasSubstr("no avoidable costs found"));
  expect_sum(examined);
  const Recording nothing;
  EXPECT_EQ(diagnosis_text(nothing, analyse(nothing), diagnose(nothing, analyse(nothing))),
            "nothing ran on the device\n")
      << "a command that failed or was stopped at its start has not been found to be free of avoidable costs";
}

TEST(Doctor, MediansOfOpsLeaveOutTheFirstRun) {
  Synthetic made;
  const auto program = made.program("step");
  made.launch(program, 0, 9000);
  for (int i = 0; i < 11; ++i) made.launch(program, 10'000 + 1000 * i, 10'100 + 1000 * i + 10 * i);
  const Recording recording = made.recording();
  const Analysis analysis = analyse(recording);
  const auto op = std::ranges::find_if(analysis.ops, [](const OpStats& stats) { return stats.op == 0; });
  ASSERT_NE(op, analysis.ops.end());
  EXPECT_EQ(op->first_ns, 9'000'000u);
  EXPECT_EQ(op->spread.least, 100'000);
  EXPECT_EQ(op->spread.p10, 110'000);
  EXPECT_EQ(op->spread.median, 150'000);
  EXPECT_EQ(op->spread.p90, 190'000);
  EXPECT_EQ(op->spread.greatest, 200'000);
}

TEST(Doctor, BelievesTheHintsOfTheRunAboutWhyTheDeviceIdled) {
  Synthetic made = gapped_steps();
  made.event(Kind::host_bound, 30'000, 1, "it slept");
  const Examined examined(made);
  const Finding* found = examined.of(Kind::host_bound);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(examined.of(Kind::device_gap), nullptr);
  EXPECT_EQ(found->event.place, "loop.cpp:3");
  EXPECT_EQ(found->event.reason, "it slept");
  EXPECT_THAT(found->ms_per_step, DoubleNear(1, 0.01));
  expect_sum(examined);
}

TEST(Doctor, StrangeFactsDoNoHarm) {
  Synthetic made = disturbed_runs();
  made.load(0, 5000);
  made.load(0, 7000);
  made.load(400'000, 0);  // a figure that should only grow shrinks
  Recording recording = made.recording();
  recording.loads.back().waited_ns = ~std::uint64_t{0};
  for (const nlohmann::json& about : {nlohmann::json::array(), nlohmann::json{{"settings", 7}, {"cpus", "two"}},
                                      nlohmann::json{{"settings", {{"WEFT_FUSE", {0, 1}}, {"WEFT_STRICT", {"1"}}}}}}) {
    recording.about = about;
    const Analysis analysis = analyse(recording);
    const Diagnosis diagnosis = diagnose(recording, analysis);
    EXPECT_FALSE(diagnosis_text(recording, analysis, diagnosis).empty());
    EXPECT_LE(diagnosis.lost_ms(), diagnosis.step_ms);
  }
}

}  // namespace
}  // namespace weft::profile
