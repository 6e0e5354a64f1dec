#include <weft/base/diagnostics.h>

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::diagnostics {
namespace {

TEST(Diagnostics, AreNotEvenBuiltWhenNobodySeesThem) {
  bool built = false;
  const auto reason = [&] {
    built = true;
    return std::string("why");
  };
  WEFT_DIAGNOSE(recompile, .reason = reason());
  EXPECT_FALSE(built);
  {
    const Sink sink([](const Event&) {});
    WEFT_DIAGNOSE(recompile, .reason = reason());
  }
  EXPECT_TRUE(built);
}

TEST(Diagnostics, EverySinkSeesTheEventWhileItLives) {
  std::vector<Event> seen;
  {
    const Sink sink([&](const Event& event) { seen.push_back(event); });
    report({.kind = Kind::graph_break, .subject = "step", .place = "a.cpp:3", .reason = "item", .cost_ms = 2});
  }
  report({.kind = Kind::graph_break});
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].subject, "step");
  EXPECT_GT(seen[0].time_ns, 0u);
  EXPECT_EQ(seen[0].remedy, usual_remedy(Kind::graph_break));
}

TEST(Diagnostics, ReadAsOneLine) {
  const std::string line = to_string({.kind = Kind::recompile,
                                      .subject = "step",
                                      .place = "a.cpp:3",
                                      .reason = "x was 4, now 5",
                                      .remedy = "pad it",
                                      .cost_ms = 12.4,
                                      .bytes = 2048,
                                      .count = 3});
  EXPECT_EQ(line, "recompile: step at a.cpp:3: x was 4, now 5 (3 times, 12 ms, 2.0 KiB); remedy: pad it");
}

TEST(Diagnostics, EveryKindHasItsNameAndRemedy) {
  std::set<std::string_view> names;
  for (const Kind kind : kinds()) {
    EXPECT_TRUE(names.insert(name(kind)).second);
    EXPECT_FALSE(description(kind).empty());
    EXPECT_FALSE(usual_remedy(kind).empty());
  }
}

}  // namespace
}  // namespace weft::diagnostics
