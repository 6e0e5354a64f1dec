// The predicted and the measured cost of collectives, for recordings with known times.
#include <weft/profile/collectives.h>

#include <string>
#include <tests/profile/synthetic.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/profile/doctor.h>

namespace weft::profile {
namespace {

using diagnostics::Kind;
using testing::HasSubstr;

// Ten steps of 100 us, of which the device computes 80 us. One collective runs for 40 us, 20 of them beside the computation; another one,
// of 10 us, is hidden.
Synthetic steps_with_collectives() {
  Synthetic made;
  const auto program = made.program("train_step");
  const auto last = made.collective(program, "all_reduce.2", 30), hidden = made.collective(program, "all_reduce.1", 10);
  runtime::ProgramDescription& description = made.description(program);
  description.thunks.assign(3, runtime::ProgramDescription::no_instruction);
  description.exchanged = {{.thunk = last,
                            .collective = "all_reduce",
                            .axes = "data",
                            .sent_bytes = 3 << 20,
                            .formula = "2 x 3/4 of tensor<1024x512xf32>",
                            .reason =
                                "subtract at step.cpp:7 needs the sum of what each device computes in dot_general at "
                                "model.cpp:3",
                            .remedies = {"it is gone with a smaller model"}}};
  description.replicated = {{.axis = "data", .devices = 4, .tensors = 2, .bytes = 8 << 20}};
  for (int i = 0; i < 10; ++i) {
    const double at = 1000 + 110 * i;
    made.step(program, at - 5, at, at + 100, at + 80);
    made.op(program, hidden, at + 20, at + 30);
    made.op(program, last, at + 60, at + 100);
  }
  return made;
}

TEST(Collectives, HaveAPredictedAMeasuredAndAnExposedTime) {
  const Recording recording = steps_with_collectives().recording();
  const Analysis analysis = analyse(recording);
  const auto all = collective_stats(recording, analysis);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].op->name, "all_reduce.2") << "the one with the most exposed time";
  EXPECT_DOUBLE_EQ(all[0].op->predicted_ns, 30'000);
  EXPECT_EQ(all[0].op->bound, Bound::link);
  EXPECT_EQ(all[0].op->spread.median, 40'000);
  EXPECT_EQ(all[0].exposed_ns(), 20'000);
  EXPECT_EQ(all[0].sent_bytes(), 3 << 20);
  EXPECT_EQ(all[1].exposed_ns(), 0);
  EXPECT_TRUE(all[1].tensors.empty());
  EXPECT_EQ(analysis.communication_ns, 500'000u);
  EXPECT_EQ(analysis.exposed_ns, 200'000u);
  for (const StepStats& step : analysis.steps) EXPECT_EQ(step.exposed_ns, 20'000u);
}

TEST(Collectives, AreToldWithReasonsAndRemedies) {
  const Recording recording = steps_with_collectives().recording();
  const Analysis analysis = analyse(recording);
  EXPECT_THAT(collective_table(recording, analysis, 10),
              HasSubstr("2 collectives take 0.050 ms of a step, 40.0% of it exposed"));
  const std::string text = collective_text(recording, analysis);
  EXPECT_THAT(
      text,
      HasSubstr("%all_reduce.2 carries 1 tensor: each device sends 3.0 MiB; predicted 0.030 ms, measured 0.040 ms, "
                "hidden 0.020 ms, exposed 0.020 ms"));
  EXPECT_THAT(text, HasSubstr("along data, 2 x 3/4 of tensor<1024x512xf32>; subtract at step.cpp:7 needs the sum"));
  EXPECT_THAT(text, HasSubstr("it is gone with a smaller model"));
  const auto json = collective_json(recording, analysis);
  EXPECT_DOUBLE_EQ(json["exposed_share"], 0.4);
  EXPECT_EQ(json["collectives"][0]["tensors"][0]["remedies"][0], "it is gone with a smaller model");
}

TEST(Collectives, TellTheLinkThatExplainsTheirTimes) {
  EXPECT_FALSE(fit_link(steps_with_collectives().recording(), analyse(steps_with_collectives().recording())))
      << "one of them does not tell what it sends";
  Synthetic made;
  const auto program = made.program("train_step");
  std::vector<runtime::ExchangedTensor>& exchanged = made.description(program).exchanged;
  for (const double megabytes : {1, 2, 4})
    exchanged.push_back({.thunk = made.collective(program, "all_reduce", 1),
                         .collective = "all_reduce",
                         .axes = "data",
                         .sent_bytes = 1e6 * megabytes,
                         .formula = "",
                         .reason = ""});
  made.description(program).thunks.assign(4, runtime::ProgramDescription::no_instruction);
  for (int i = 0; i < 3; ++i) {
    const double at = 1000 + 20'000 * i;
    made.step(program, at - 5, at, at + 10'000, at + 80);
    for (int c = 1; c <= 3; ++c) made.op(program, c, at + 2000 * c, at + 2000 * c + 50 + 250 * (1 << (c - 1)));
  }
  const Recording recording = made.recording();
  const auto fit = fit_link(recording, analyse(recording));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->latency_us, 50, 1e-6);
  EXPECT_NEAR(fit->gb_s, 4, 1e-9);
  EXPECT_NEAR(fit->residual, 0, 1e-9);
}

TEST(Collectives, AreRankedByTheDoctor) {
  const Recording recording = steps_with_collectives().recording();
  const Analysis analysis = analyse(recording);
  const Diagnosis diagnosis = diagnose(recording, analysis);
  const auto of = [&](Kind kind) {
    return std::ranges::find(diagnosis.findings, kind, [](const Finding& f) { return f.event.kind; });
  };
  const auto exposed = of(Kind::exposed_communication), replicated = of(Kind::replicated_state);
  ASSERT_NE(exposed, diagnosis.findings.end());
  EXPECT_EQ(exposed->event.subject, "%all_reduce.2");
  EXPECT_NEAR(exposed->ms_per_step, 0.02, 1e-9);
  EXPECT_THAT(exposed->event.reason, HasSubstr("needs the sum of what each device computes"));
  EXPECT_EQ(exposed->event.remedy, "it is gone with a smaller model");
  EXPECT_EQ(std::ranges::count(diagnosis.findings, Kind::exposed_communication,
                               [](const Finding& f) { return f.event.kind; }),
            1)
      << "the hidden one costs nothing";
  double sum = diagnosis.computing_ms + diagnosis.unexplained();
  for (const Finding& finding : diagnosis.findings) sum += finding.ms_per_step;
  EXPECT_NEAR(sum, diagnosis.step_ms, 1e-9);
  ASSERT_NE(replicated, diagnosis.findings.end());
  EXPECT_EQ(replicated->event.bytes, 6u << 20);
  EXPECT_THAT(diagnosis_text(recording, analysis, diagnosis), HasSubstr("(ZeRO-1)"));
}

TEST(Collectives, ARankForWhichThisOneWaitsIsNamedByTheDoctor) {
  Synthetic made = steps_with_collectives();
  for (int i = 0; i < 10; ++i) {
    const double at = 1000 + 110 * i;
    made.host("rank wait", "rank 0 waits for rank 3", at + 80, at + 95, i);  // of 20 us exposed
    made.host("rank wait", "rank 2 waits for rank 0", at + 10, at + 14, i);
    made.host("rank wait", "rank 0 waits for rank 1", at + 98, at + 99, i);  // not worth a finding
  }
  const Recording recording = made.recording();
  const Diagnosis diagnosis = diagnose(recording, analyse(recording));
  std::vector<Finding> found;
  for (const Finding& finding : diagnosis.findings)
    if (finding.event.kind == Kind::straggler) found.push_back(finding);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].event.subject, "rank 3");
  EXPECT_NEAR(found[0].ms_per_step, 0.015, 1e-9);
  EXPECT_EQ(found[0].event.reason, "this rank waits for it in 9 launches, 0.015 ms a step");
  EXPECT_EQ(found[1].event.subject, "rank 0");
  EXPECT_EQ(found[1].ms_per_step, 0) << "its own steps lose nothing";
  EXPECT_EQ(found[1].event.reason, "another rank waits for it in 9 launches, 0.004 ms a step");
  const auto exposed =
      std::ranges::find(diagnosis.findings, Kind::exposed_communication, [](const Finding& f) { return f.event.kind; });
  ASSERT_NE(exposed, diagnosis.findings.end());
  EXPECT_NEAR(exposed->ms_per_step, 0.005, 1e-9) << "what the waits leave";
  double sum = diagnosis.computing_ms + diagnosis.unexplained();
  for (const Finding& finding : diagnosis.findings) sum += finding.ms_per_step;
  EXPECT_NEAR(sum, diagnosis.step_ms, 1e-9);
}

}  // namespace
}  // namespace weft::profile
