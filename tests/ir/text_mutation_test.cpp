// Checks that damaged text always ends in a graph or in an Error.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/text/text.h>
#include <weft/ir/verify.h>

namespace weft::ir {
namespace {

constexpr const char* text_inputs = "tests/ir/text/inputs";

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns real texts, as they came and as weft prints them.
std::vector<std::string> valid_texts() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(text_inputs)) {
    texts.push_back(read(entry.path()));
    texts.push_back(print(parse_module(texts.back()), {.locations = true}));
  }
  return texts;
}

// Prints the graph that was read, so that an invalid graph is noticed.
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
  for (const auto& entry : std::filesystem::directory_iterator(text_inputs)) {
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

// Splits text into pieces that stay whole in grammatical mutations: names, numbers, blanks, and other characters one by one.
std::vector<std::string_view> pieces_of(std::string_view text) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (is_word(text[at]) && end < text.size() && is_word(text[end])) ++end;
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// Removes, doubles, swaps or replaces a piece, or inserts one of another text; a few times.
std::string spliced(std::vector<std::string_view> pieces, const std::vector<std::string_view>& others,
                    std::mt19937& random) {
  const auto any = [&](std::size_t count) { return static_cast<std::ptrdiff_t>(random() % count); };
  for (std::size_t changes = 1 + random() % 3; changes > 0 && !pieces.empty(); --changes) {
    const auto at = pieces.begin() + any(pieces.size());
    switch (random() % 5) {
      case 0: pieces.erase(at); break;
      case 1: pieces.insert(at, *at); break;
      case 2: std::iter_swap(at, pieces.begin() + any(pieces.size())); break;
      case 3: *at = pieces[any(pieces.size())]; break;
      default: pieces.insert(at, others[any(others.size())]);
    }
  }
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

// These produce undefined and duplicate values, wrong types, misplaced operations and functions, and attributes of other
// operations. Text that is still accepted must give a graph that the verifier accepts and that reads back the same.
TEST(TextMutation, SplicedPiecesAndLines) {
  std::mt19937 random(1);
  const std::vector<std::string> texts = valid_texts();
  std::size_t read = 0;
  for (int round = 0; round < 60; ++round)
    for (const std::string& text : texts) {
      if (text.size() > 20'000) continue;
      const std::string& other = texts[random() % texts.size()];
      const auto split = random() % 2 ? pieces_of : lines_of;
      const std::string damaged = spliced(split(text), split(other), random);
      SCOPED_TRACE(damaged);
      try {
        const Module module = parse_module(damaged);
        ++read;
        for (const auto& function : module.functions) verify(*function);
        const std::string printed = print(module);
        EXPECT_EQ(print(parse_module(printed)), printed);
      } catch (const Error& wrong) {
        EXPECT_THAT(wrong.what(), testing::MatchesRegex("[0-9]+:[0-9]+: [^\n]+"));
      }
    }
  EXPECT_GT(read, 20u) << "not everything may be refused, or nothing is tested";
}

}  // namespace
}  // namespace weft::ir
