#include <weft/base/knobs.h>

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/base/spelling.h>

namespace weft::knobs {
namespace {

using testing::HasSubstr;

constinit Knob<Integer> test_integer("test_integer", [] { return Integer{7}; }, "");
constinit Knob<Real> test_real("test_real", [] { return Real{0.5}; }, "");
constinit Knob<Switch> test_switch("test_switch", [] { return Switch{false}; }, "");
constinit Knob<Text> test_text("test_text", [] { return Text("default"); }, "");

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

// Returns the value that a new knob takes from `text`.
template <class T>
T parsed(const char* text) {
  const Variable variable("WEFT_FRESH", text);
  const Knob<T> knob("fresh", [] { return T(); }, "");
  return knob();
}

TEST(Knobs, AreReadOnceFromTheirVariable) {
  {
    const Variable variable("WEFT_TEST_INTEGER", "42");
    EXPECT_EQ(test_integer(), 42);
  }
  EXPECT_EQ(test_integer(), 42);
}

TEST(Knobs, HaveADefault) {
  EXPECT_EQ(test_real(), 0.5);
  EXPECT_EQ(test_switch(), false);
  EXPECT_EQ(test_text(), "default");
}

TEST(Knobs, ParseEveryType) {
  EXPECT_EQ(parsed<Integer>("0"), 0);
  EXPECT_EQ(parsed<Integer>("3K"), 3 << 10);
  EXPECT_EQ(parsed<Integer>("3M"), 3 << 20);
  EXPECT_EQ(parsed<Integer>("3G"), std::int64_t{3} << 30);
  EXPECT_EQ(parsed<Real>("-1.5e3"), -1500);
  EXPECT_EQ(parsed<Switch>("1"), true);
  EXPECT_EQ(parsed<Switch>("0"), false);
  EXPECT_EQ(parsed<Text>("a,b"), "a,b");
}

TEST(Knobs, RejectWhatDoesNotParse) {
  for (const char* text : {"", "x", "-1", "1x", "1KK", "1 ", "9223372036854775808", "9223372036854775807K"}) {
    EXPECT_THROW(parsed<Integer>(text), Error) << text;
  }
  for (const char* text : {"", "x", "1.5y"}) EXPECT_THROW(parsed<Real>(text), Error) << text;
  for (const char* text : {"", "2", "maybe"}) EXPECT_THROW(parsed<Switch>(text), Error) << text;
  try {
    parsed<Integer>("many");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "WEFT_FRESH: expected a whole number, at least 0, got 'many'");
  }
}

TEST(Knobs, OverridesEndWithTheirScope) {
  const Integer before = num_threads();
  {
    const Override outer(num_threads, 3);
    EXPECT_EQ(num_threads(), 3);
    {
      const Override inner(num_threads, 5);
      EXPECT_EQ(num_threads(), 5);
    }
    EXPECT_EQ(num_threads(), 3);
    const Override text(logs, "recompiles");
    EXPECT_EQ(logs(), "recompiles");
  }
  EXPECT_EQ(num_threads(), before);
}

TEST(Knobs, TheTableShowsValuesAndDefaults) {
  const Override override(run_ahead_launches, 3);
  bool found = false;
  for (const Row& row : table()) {
    EXPECT_EQ(row.variable.substr(0, 5), "WEFT_");
    EXPECT_FALSE(row.help.empty()) << row.name;
    if (row.name != "run_ahead_launches") continue;
    found = true;
    EXPECT_EQ(row.variable, "WEFT_RUN_AHEAD_LAUNCHES");
    EXPECT_EQ(row.type, "integer");
    EXPECT_EQ(row.default_value, "8");
    EXPECT_EQ(row.value, "3");
  }
  EXPECT_TRUE(found);
}

TEST(Knobs, MisspelledVariablesAreFound) {
  const Variable wrong("WEFT_NUM_THREAD", "2"), right("WEFT_NUM_THREADS", "2");
  const auto unknown = unknown_variables();
  EXPECT_THAT(unknown, testing::Contains("WEFT_NUM_THREAD"));
  EXPECT_THAT(unknown, testing::Not(testing::Contains("WEFT_NUM_THREADS")));
}

TEST(Knobs, WarningsNameTheNearest) {
  const Variable threads("WEFT_THREADS", "2"), folder("WEFT_CACHE_DIRS", "/"), far("WEFT_COLOUR", "1"),
      other("WEFT_PEERS_PYTHON", "python3");
  using testing::Contains, testing::StartsWith, testing::Not;
  const auto warnings = unknown_variable_warnings();
  EXPECT_THAT(warnings, Contains("WEFT_THREADS is not a knob; did you mean WEFT_NUM_THREADS?"));
  EXPECT_THAT(warnings, Contains("WEFT_CACHE_DIRS is not a knob; did you mean WEFT_CACHE_DIR?"));
  EXPECT_THAT(warnings, Contains(StartsWith("WEFT_COLOUR is not a knob; the nearest is WEFT_")));
  EXPECT_THAT(warnings, Not(Contains(StartsWith("WEFT_PEERS_PYTHON")))) << "read by bench/peers";
}

}  // namespace
}  // namespace weft::knobs
