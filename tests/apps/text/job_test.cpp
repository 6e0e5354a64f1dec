#include <apps/text/job.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/temporary_folder.h>

namespace weft::text {
namespace {

using testing::HasSubstr;

class JobTest : public testing::Test {
 protected:
  JobTest() {
    write_file(folder_ / "text", std::string(1000, 'a') + std::string(1000, 'b'));
    config_.context = 8;
    config_.batch = 3;
    config_.warmup = 1;
    config_.seed = 5;
    write();
  }
  void write() {
    const data::TensorBytes weights[] = {{"w", Type(float32, {1}), std::as_bytes(std::span(&weight_, 1))}};
    write_job(folder_ / "job", config_, 4, 2, weights, TextDataset(folder_ / "text", 8));
  }
  void replace(const std::string& before, const std::string& after) {
    std::string text = read_file(folder_ / "job" / "config.json");
    const std::size_t at = text.find(before);
    ASSERT_NE(at, text.npos) << before;
    write_file(folder_ / "job" / "config.json", text.replace(at, before.size(), after));
  }
  std::string message() {
    try {
      Job(folder_ / "job");
    } catch (const Error& error) {
      return error.what();
    }
    return "fine";
  }

  TemporaryFolder folder_;
  TextConfig config_;
  float weight_ = 0.5;
};

TEST_F(JobTest, RoundTrip) {
  const Job job(folder_ / "job");
  EXPECT_EQ(job.steps(), 4);
  EXPECT_EQ(job.threads(), 2);
  EXPECT_EQ(job.config().width, config_.width);
  EXPECT_EQ(job.config().beta2, config_.beta2);
  EXPECT_EQ(job.learning_rate(3), config_.learning_rate(3));
  EXPECT_TRUE(job.weights().find("w"));
  std::vector<std::int32_t> read(27), drawn(27);
  job.batch(2, read);
  TextDataset(folder_ / "text", 8).train_batch(5, 2, drawn);
  EXPECT_EQ(read, drawn);
}

TEST_F(JobTest, WhatDoesNotFitIsNamed) {
  replace("\"layers\": 6", "\"layers\": \"six\"");
  EXPECT_THAT(message(), HasSubstr("config.json: not a job's config"));
  write();
  replace("\"layers\"", "\"depth\"");
  EXPECT_THAT(message(), HasSubstr("layers"));
  write();
  replace("\"steps\": 4", "\"steps\": 5");
  EXPECT_THAT(message(), HasSubstr("lr must have one entry for each of the steps"));
  write();
  replace("\"batch\": 3", "\"batch\": 4");
  EXPECT_THAT(message(), HasSubstr("tokens must be tensor<4x4x9xi32>, is tensor<4x3x9xi32>"));
  write();
  replace("\"vocab\": 256", "\"vocab\": 257");
  EXPECT_THAT(message(), HasSubstr("vocab must be 256"));
  write_file(folder_ / "job" / "config.json", "{");
  EXPECT_THAT(message(), HasSubstr("config.json: not a job's config"));
}

TEST_F(JobTest, TokensOutsideOfTheVocabularyAreRefused) {
  std::vector<std::int32_t> tokens(4 * 27, 0);
  tokens[30] = 256;
  const data::TensorBytes batches{"tokens", Type(int32, {4, 3, 9}), std::as_bytes(std::span(tokens))};
  data::write_safetensors(folder_ / "job" / "batches.safetensors", std::span(&batches, 1));
  const Job job(folder_ / "job");
  std::vector<std::int32_t> read(27);
  EXPECT_NO_THROW(job.batch(0, read));
  EXPECT_THAT([&] { job.batch(1, read); }, testing::ThrowsMessage<Error>(HasSubstr("step 1 has the token 256")));
}

}  // namespace
}  // namespace weft::text
