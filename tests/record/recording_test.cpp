// The recording engine without the functions on tensors, which are one user of it.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/ir/builder.h>
#include <weft/record/call.h>
#include <weft/record/sync.h>
#include <weft/record/sync_stages.h>

namespace weft::record {
namespace {

TensorPtr upload(const std::vector<float>& values) {
  const Type type(DType::f32, {std::ssize(values)});
  return TensorPtr::of(device().upload(type, std::as_bytes(std::span(values))));
}

std::vector<float> read(const TensorPtr& tensor) {
  const std::span<const std::byte> bytes = tensor->buffer->bytes();
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TensorPtr doubled(const TensorPtr& x) {
  const Call call("doubled", std::source_location::current());
  const ir::Value value = call.recording().value_of(x, call.function());
  return call.recording().wrap(ir::add(value, value));
}

class RecordingEngine : public testing::Test {
 protected:
  void TearDown() override { Recording::current().sync(); }  // discards what the test recorded
};

TEST_F(RecordingEngine, LaunchesWhatIsHeldAndForgetsTheRest) {
  const TensorPtr x = upload({1, 2, 3});
  const TensorPtr kept = doubled(doubled(x));
  doubled(kept);
  EXPECT_EQ(kept->buffer, nullptr);
  Recording::current().sync();
  ASSERT_NE(kept->buffer, nullptr);
  EXPECT_EQ(kept->recording, nullptr);
  EXPECT_THAT(read(kept), testing::ElementsAre(4, 8, 12));
  EXPECT_EQ(last_sync().outputs, 1u);
}

TEST_F(RecordingEngine, ABufferIsOneInputHoweverOftenItIsUsed) {
  const TensorPtr x = upload({1}), a = doubled(x), b = doubled(x);
  EXPECT_EQ(Recording::current().inputs().size(), 1u);
  Recording::current().sync();
  EXPECT_THAT(read(b), testing::ElementsAre(2));
}

TEST_F(RecordingEngine, ABodyMakesInputsOfWhatItUsesFromOutside) {
  const TensorPtr x = upload({1}), outer = doubled(x);
  Recording body(Recording::current());
  const TensorPtr inner = doubled(outer);
  body.leave();
  ASSERT_EQ(body.captures().size(), 1u);
  EXPECT_EQ(body.captures()[0].get(), outer.get());
  EXPECT_EQ(body.graph().inputs().size(), 1u);
}

TEST_F(RecordingEngine, ErrorsNameTheFunctionAndItsPlace) {
  EXPECT_THAT([] { doubled({}); },
              testing::ThrowsMessage<Error>(testing::AllOf(
                  testing::HasSubstr("doubled: an operand is a default-constructed Tensor, which has no value"),
                  testing::HasSubstr("recording_test.cpp:"))));
}

// Records the stages of a sync, in order.
class Stages final : public SyncStages {
 public:
  void begins() override { seen.emplace_back("begins"); }
  void collected(const Collected& collected) override {
    seen.push_back(concat("collected ", collected.inputs.size(), " inputs, ", collected.outputs.size(), " outputs"));
  }
  void promised(const Collected& /*collected*/) override { seen.emplace_back("promised"); }
  std::vector<std::string> seen;
};

TEST_F(RecordingEngine, ShowsTheStagesOfASync) {
  Stages stages;
  session.sync_stages = &stages;
  const TensorPtr result = doubled(upload({1}));
  Recording::current().sync();
  session.sync_stages = nullptr;
  EXPECT_THAT(stages.seen, testing::ElementsAre("begins", "collected 1 inputs, 1 outputs", "promised"));
  EXPECT_THAT(read(result), testing::ElementsAre(2));
}

}  // namespace
}  // namespace weft::record
