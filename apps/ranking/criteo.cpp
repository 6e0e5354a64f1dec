#include <apps/ranking/criteo.h>

#include <charconv>

#include <fmt/format.h>
#include <system_error>

#include <weft/base/error.h>

namespace weft::ranking {

namespace {

constexpr std::size_t field_count = 1 + CriteoSample::number_count + CriteoSample::id_count;

// Returns a field as a message shows it.
std::string shown_field(std::string_view field) {
  constexpr std::size_t most = 24;
  std::string text = "'";
  for (const char c : field.substr(0, most)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (field.size() > most ? "...'" : "'");
}

template <class T>
bool parse_field(std::string_view field, T& value, int base) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, base);
  return error == std::errc() && end == field.data() + field.size();
}

std::string wrong_field(std::size_t index, std::string_view field) {
  const std::size_t first_id = 1 + CriteoSample::number_count;
  if (index == 0) return concat("the label must be 0 or 1, got ", shown_field(field));
  if (index < first_id) return concat("number ", index, " must be a whole number of 32 bits, got ", shown_field(field));
  return concat("id ", index - first_id + 1, " must have up to 8 hexadecimal digits, got ", shown_field(field));
}

}  // namespace

std::string parse_sample(std::string_view line, CriteoSample& sample) {
  std::size_t index = 0;
  for (std::size_t begin = 0; begin <= line.size(); ++index) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    const std::string_view field = line.substr(begin, end - begin);
    begin = end + 1;
    if (index == 0) {
      if (field != "0" && field != "1") return wrong_field(index, field);
      sample.clicked = field == "1";
    } else if (index <= CriteoSample::number_count) {
      auto& number = sample.numbers[index - 1];
      number.reset();
      if (!field.empty() && !parse_field(field, number.emplace(), 10)) return wrong_field(index, field);
    } else if (index < field_count) {
      auto& id = sample.ids[index - 1 - CriteoSample::number_count];
      id.reset();
      if (!field.empty() && (field.size() > 8 || !parse_field(field, id.emplace(), 16)))
        return wrong_field(index, field);
    }
  }
  if (index != field_count) return concat("expected ", field_count, " fields between tabs, got ", index);
  return {};
}

void print_sample(const CriteoSample& sample, std::string& text) {
  text += sample.clicked ? '1' : '0';
  const auto out = std::back_inserter(text);
  for (const auto& number : sample.numbers) {
    text += '\t';
    if (number) fmt::format_to(out, "{}", *number);
  }
  for (const auto& id : sample.ids) {
    text += '\t';
    if (id) fmt::format_to(out, "{:08x}", *id);
  }
  text += '\n';
}

}  // namespace weft::ranking
