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
  config.rows = "7,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,4294967296";
  const auto again = train::config_of<RankingConfig>(train::settings_of(config));
  EXPECT_EQ(again.table_rows().size(), 26u);
  EXPECT_EQ(again.table_rows()[25], std::int64_t{1} << 32);
  EXPECT_EQ(RankingConfig().table_rows(), std::vector<std::int64_t>(26, 50'000));
  EXPECT_THAT(again.bottom_widths(), ElementsAre(512, 256, 64));
  EXPECT_EQ(train::settings_of(again), train::settings_of(config));
}

TEST(RankingConfig, ValuesThatAreNone) {
  const auto wrong = [](const char* name, const train::Setting& value) {
    train::Settings settings = train::settings_of(RankingConfig());
    settings.at(name) = value;
    return error_of([&] { train::config_of<RankingConfig>(settings); });
  };
  for (const char* name : {"width", "held_out", "days", "day_samples"})
    EXPECT_THAT(wrong(name, std::int64_t{0}), StartsWith(name)) << name;
  EXPECT_EQ(wrong("rows", std::string("4294967296")), "");
  for (const char* rows : {"", "0", "4294967297", "-1", "x", "1,", "1;2"})
    EXPECT_THAT(wrong("rows", std::string(rows)),
                StartsWith("rows must be a number, or one for each table, from 1 to 4294967296, got '"));
  EXPECT_EQ(wrong("rows", std::string("1,2,3")), "rows must be one number or 26, got 3");
  EXPECT_THAT(wrong("table_lr", 0.0), StartsWith("table_lr must be positive"));
  for (const char* widths : {"", "64,", "64,x", "64;32", "-1"})
    EXPECT_THAT(wrong("bottom", std::string(widths)), StartsWith("bottom must be ")) << widths;
  EXPECT_THAT(wrong("top", std::string("0")), StartsWith("top must be widths with commas, such as 64,32, from 1 to "));
  EXPECT_EQ(wrong("schedule", std::string("fast")),
            "schedule must be base, sparse_dist, fused_sparse_dist, prefetch, exact or semi_sync, got fast");
}

}  // namespace
}  // namespace weft::ranking
