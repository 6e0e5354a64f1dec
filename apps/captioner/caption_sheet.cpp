#include <apps/captioner/caption_sheet.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include <openssl/evp.h>

#include <apps/captioner/lettering.h>
#include <weft/base/error.h>

namespace weft::captioner {

namespace {

constexpr Rgb paper{250, 250, 248}, green{22, 128, 61}, red{200, 30, 30}, gray{110, 110, 110};
constexpr std::int64_t columns = 6, picture_side = 160, frame = 4, margin = 10, text_lines = 5;
constexpr std::int64_t cell_width = picture_side + 2 * frame + 2 * margin;
constexpr std::int64_t cell_height = picture_side + 2 * frame + 2 * margin + text_lines * line_height;

void fill(data::RgbImage& sheet, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
          const Rgb& colour) {
  for (std::int64_t row = y; row < y + height; ++row)
    for (std::int64_t column = x; column < x + width; ++column) std::ranges::copy(colour, sheet.pixel(column, row));
}

// Draws the picture scaled to its cell, by nearest neighbour.
void place(data::RgbImage& sheet, std::int64_t x, std::int64_t y, const data::RgbImage& picture) {
  for (std::int64_t row = 0; row < picture_side; ++row)
    for (std::int64_t column = 0; column < picture_side; ++column)
      std::copy_n(picture.pixel(column * picture.width / picture_side, row * picture.height / picture_side), 3,
                  sheet.pixel(x + column, y + row));
}

std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += lines.back().empty() ? word : ' ' + word;
  }
  return lines;
}

void draw_example(data::RgbImage& sheet, std::int64_t x, std::int64_t y, const SaidCaption& example) {
  const Rgb& mark = example.is_right() ? green : red;
  fill(sheet, x, y, picture_side + 2 * frame, picture_side + 2 * frame, mark);
  place(sheet, x + frame, y + frame, example.picture);
  y += picture_side + 2 * frame + 4;
  constexpr std::size_t width = (cell_width - margin) / letter_width;
  const auto write = [&](const std::string& text, const Rgb& colour) {
    for (const std::string& line : wrap(text, width)) {
      write_line(sheet, x, y, line, colour);
      y += line_height;
    }
  };
  write(example.said, mark);
  if (!example.is_right()) write("is " + example.truth, gray);
}

std::string base64(const std::vector<std::byte>& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // with room for the zero byte that OpenSSL appends
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  text.resize(length);
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

std::int64_t percent(double share) { return static_cast<std::int64_t>(100 * share + 0.5); }

}  // namespace

data::RgbImage draw_sheet(const CaptionScore& score) {
  require(!score.examples.empty(), "draw_sheet: there are no examples");
  const auto count = std::ssize(score.examples);
  const std::int64_t wide = std::min(count, columns), rows = (count + wide - 1) / wide;
  data::RgbImage sheet(wide * cell_width + margin, rows * cell_height + margin);
  fill(sheet, 0, 0, sheet.width, sheet.height, paper);
  for (std::int64_t i = 0; i < count; ++i)
    draw_example(sheet, margin + i % wide * cell_width, margin + i / wide * cell_height, score.examples[i]);
  return sheet;
}

std::string html_sheet(const CaptionScore& score) {
  std::string page = concat(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Captions</title>\n<style>\n"
      "body { font: 14px system-ui, sans-serif; margin: 2em; }\n"
      "main { display: grid; grid-template-columns: repeat(auto-fill, 180px); gap: 1.5em; }\n"
      "figure { margin: 0; }\n"
      "img { width: 172px; image-rendering: pixelated; border: 4px solid; }\n"
      ".right { color: #16803d; }\n.wrong { color: #c81e1e; }\nsmall { color: #6e6e6e; display: block; "
      "}\n</style>\n<h1>",
      percent(score.accuracy), " % of ", score.pictures, " captions are right in every word</h1>\n<p>",
      percent(score.token_accuracy),
      " % of their tokens stand where they should. The sentences were held out: none of them was ",
      "seen in training.</p>\n<main>\n");
  for (const SaidCaption& example : score.examples) {
    page += concat("<figure class=\"", example.is_right() ? "right" : "wrong", "\"><img alt=\"", escaped(example.truth),
                   "\" src=\"data:image/png;base64,", base64(data::encode_png(example.picture)), "\"><figcaption>",
                   example.is_right() ? "&#10003; " : "&#10007; ", escaped(example.said));
    if (!example.is_right()) page += concat("<small>is: ", escaped(example.truth), "</small>");
    page += "</figcaption></figure>\n";
  }
  return page + "</main>\n</html>\n";
}

}  // namespace weft::captioner
