#include <apps/ranking/ranking_config.h>

#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/train/config_settings.h>

namespace weft::ranking {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(RankingConfig, ThereAndBack) {
  RankingConfig config;
  config.bottom = "512,256,64";
  config.step_schedule = "semi_sync";
  const auto again = train::config_of<RankingConfig>(train::settings_of(config));
  EXPECT_THAT(again.bottom_widths(), ElementsAre(512, 256, 64));
  EXPECT_EQ(train::settings_of(again), train::settings_of(config));
}

TEST(RankingConfig, ValuesThatAreNone) {
  const auto wrong = [](const char* name, const train::Setting& value) {
    train::Settings settings = train::settings_of(RankingConfig());
    settings.at(name) = value;
    return error_of([&] { train::config_of<RankingConfig>(settings); });
  };
  for (const char* name : {"rows", "width", "held_out", "days", "day_samples"})
    EXPECT_THAT(wrong(name, std::int64_t{0}), StartsWith(name)) << name;
  EXPECT_THAT(wrong("rows", (std::int64_t{1} << 32) + 1), StartsWith("rows must be from 1 to 4294967296"));
  EXPECT_EQ(wrong("rows", std::int64_t{1} << 32), "");
  EXPECT_THAT(wrong("table_lr", 0.0), StartsWith("table_lr must be positive"));
  for (const char* widths : {"", "64,", "64,x", "64;32", "-1"})
    EXPECT_THAT(wrong("bottom", std::string(widths)), StartsWith("bottom must be ")) << widths;
  EXPECT_THAT(wrong("top", std::string("0")), StartsWith("top must be positive, got 0"));
  EXPECT_EQ(wrong("schedule", std::string("prefetch")),
            "schedule must be base, sparse_dist, fused_sparse_dist, exact or semi_sync, got prefetch");
}

}  // namespace
}  // namespace weft::ranking
