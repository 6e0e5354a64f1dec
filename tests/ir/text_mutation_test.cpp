// Damaged text ends in a graph or in an Error, never in anything else.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

constexpr const char* inputs = "tests/ir/text/inputs";

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Real texts, in the form they came and in ours.
std::vector<std::string> valid_texts() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(inputs)) {
    texts.push_back(read(entry.path()));
    texts.push_back(print(parse_module(texts.back()), {.locations = true}));
  }
  return texts;
}

// Prints what it read, so that a graph that should not exist is noticed.
void survive(const std::string& text) {
  try {
    print(parse_module(text));
  } catch (const Error& wrong) {
    const std::string_view message = wrong.what();
    EXPECT_TRUE(message.find('\n') == message.npos && message.size() < 4000) << message;
  }
}

// Large texts are damaged at fewer places.
std::size_t stride(const std::string& text) { return 1 + text.size() / 800; }

TEST(TextMutation, RealTextsRoundTrip) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(inputs)) {
    SCOPED_TRACE(entry.path());
    ++count;
    const Module module = parse_module(read(entry.path()));
    const std::string printed = print(module);
    const Module again = parse_module(printed);
    EXPECT_EQ(print(again), printed);
    ASSERT_EQ(again.functions.size(), module.functions.size());
    for (std::size_t i = 0; i < module.functions.size(); ++i)
      EXPECT_TRUE(structurally_equal(*module.functions[i], *again.functions[i]));
  }
  EXPECT_GE(count, 8);
}

TEST(TextMutation, Truncation) {
  for (const std::string& text : valid_texts())
    for (std::size_t n = 0; n < text.size(); n += stride(text)) survive(text.substr(0, n));
}

TEST(TextMutation, FlippedBits) {
  for (std::string text : valid_texts())
    for (std::size_t i = 0; i < text.size(); i += stride(text)) {
      const char original = text[i];
      text[i] = static_cast<char>(original ^ (1 << (i % 8)));
      survive(text);
      text[i] = original;
    }
}

TEST(TextMutation, ReplacedAndRemovedCharacters) {
  constexpr std::string_view replacements = "()[]{}<>,:=%#@!\"-0123456789x?";
  std::size_t next = 0;
  for (std::string text : valid_texts())
    for (std::size_t i = 0; i < text.size(); i += stride(text)) {
      const char original = text[i];
      text[i] = replacements[next++ % replacements.size()];
      survive(text);
      text[i] = original;
      survive(text.substr(0, i) + text.substr(i + 1));
    }
}

}  // namespace
}  // namespace weft::ir
