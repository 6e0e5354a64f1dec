// Prints tensors as NumPy does: nested brackets, long dimensions abbreviated in the middle, numbers aligned to one
// width.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include <weft/base/convert.h>
#include <weft/tensor/tensor.h>

namespace weft {

namespace {

constexpr std::int64_t edge = 3;              // items printed at each end of an abbreviated dimension
constexpr std::int64_t shorten_above = 1000;  // the largest number of elements that is printed in full

class Printer {
 public:
  Printer(const Tensor& x, std::span<const std::byte> bytes) : type_(x.type()), bytes_(bytes), strides_(x.rank()) {
    row_major_strides(type_.dims(), strides_);
    shorten_ = type_.elements() > shorten_above;
  }

  std::string print() {
    collect(0, 0);
    format();
    std::string out;
    next_ = 0;
    write(out, 0);
    return out;
  }

 private:
  // Calls item(i) for each printed index of dimension `axis`, and gap() where items are left out.
  template <class Item, class Gap>
  void each(int axis, Item&& item, Gap&& gap) const {
    const std::int64_t size = type_.size(axis);
    for (std::int64_t i = 0; i < size; ++i) {
      if (shorten_ && size > 2 * edge && i == edge) {
        gap();
        i = size - edge;
      }
      item(i);
    }
  }

  void collect(int axis, std::int64_t offset) {
    if (axis == type_.rank()) {
      offsets_.push_back(offset);
      return;
    }
    each(axis, [&](std::int64_t i) { collect(axis + 1, offset + i * strides_[axis]); }, [] {});
  }

  template <class T>
  T element(std::int64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset * sizeof(T), sizeof(T));
    return value;
  }

  void format() {
    visit(type_.dtype(), [&](auto tag) {
      using T = decltype(tag);
      if constexpr (std::is_same_v<T, bool>) {
        for (const auto offset : offsets_) words_.push_back(element<bool>(offset) ? "True" : "False");
      } else if constexpr (std::is_integral_v<T>) {
        for (const auto offset : offsets_) words_.push_back(std::to_string(element<T>(offset)));
      } else {
        std::vector<double> values;
        for (const auto offset : offsets_) values.push_back(convert_element<double>(element<T>(offset)));
        format_floats(values, sizeof(T) == 8 ? 8 : 4);
      }
    });
    std::size_t width = 0;
    for (const auto& word : words_) width = std::max(width, word.size());
    if (type_.rank() > 0) {
      for (auto& word : words_) word.insert(0, width - word.size(), ' ');
    }
  }

  // Uses fixed notation with the fewest decimals that show all values to `digits` digits, or exponents if the
  // magnitudes differ too much.
  void format_floats(const std::vector<double>& values, int digits) {
    double largest = 0, least = HUGE_VAL;
    for (const double v : values) {
      if (!std::isfinite(v) || v == 0) continue;
      largest = std::max(largest, std::abs(v));
      least = std::min(least, std::abs(v));
    }
    const bool exponent = largest >= 1e8 || (largest > 0 && (least < 1e-4 || largest / least > 1e6));
    int decimals = exponent ? digits : 0;
    char text[64];
    if (!exponent) {
      for (const double v : values) {
        if (!std::isfinite(v)) continue;
        std::snprintf(text, sizeof text, "%.*f", digits, v);
        std::string_view shown = text;
        while (shown.back() == '0') shown.remove_suffix(1);
        decimals = std::max(decimals, static_cast<int>(shown.size() - shown.find('.') - 1));
      }
    }
    for (const double v : values) {
      std::snprintf(text, sizeof text, exponent ? "%.*e" : "%.*f", decimals, v);
      std::string word = text;
      if (!exponent && decimals == 0 && std::isfinite(v)) word += '.';
      words_.push_back(std::move(word));
    }
  }

  void write(std::string& out, int axis) {
    if (axis == type_.rank()) {
      out += words_[next_++];
      return;
    }
    const bool innermost = axis + 1 == type_.rank();
    std::string separator = innermost ? ", " : "," + std::string(type_.rank() - axis - 1, '\n');
    if (!innermost) separator += std::string(axis + 1, ' ');
    bool first = true;
    const auto separate = [&] {
      if (!first) out += separator;
      first = false;
    };
    out += '[';
    each(axis, [&](std::int64_t) { separate(), write(out, axis + 1); }, [&] { separate(), out += "..."; });
    out += ']';
  }

  Type type_;
  std::span<const std::byte> bytes_;
  std::vector<std::int64_t> strides_;
  bool shorten_ = false;
  std::vector<std::int64_t> offsets_;  // of the printed elements
  std::vector<std::string> words_;     // the text of the printed elements
  std::size_t next_ = 0;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const Tensor& x) {
  if (!x.defined()) return out << "none";
  return out << Printer(x, x.bytes_for("printing", {})).print() << ' ' << x.type();
}

}  // namespace weft
