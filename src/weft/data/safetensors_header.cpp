#include <weft/data/safetensors_header.h>

#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include <weft/base/error.h>

namespace weft::data {

namespace {

// Accepts nlohmann's parse events only in the order that the format allows.
class HeaderReader {
 public:
  Header take() && { return std::move(header_); }

  bool key(std::string& name) {
    switch (at_) {
      case At::top:
        require(names_.insert(name).second, "the name ", shown(name), " appears twice");
        if (name == "__metadata__") {
          at_ = At::before_metadata;
        } else {
          header_.entries.emplace_back().name = name;
          fields_ = 0;
          at_ = At::before_entry;
        }
        return true;
      case At::metadata:
        require(!header_.metadata.contains(name), "__metadata__: the key ", shown(name), " appears twice");
        key_ = name;
        return true;
      case At::entry: begin_field(name); return true;
      default: unexpected("a key");
    }
  }

  bool start_object(std::size_t) {
    switch (at_) {
      case At::start: at_ = At::top; return true;
      case At::before_metadata: at_ = At::metadata; return true;
      case At::before_entry: at_ = At::entry; return true;
      default: unexpected("an object");
    }
  }

  bool end_object() {
    if (at_ == At::entry) require(fields_ == 7, where(), "dtype, shape and data_offsets must be given");
    at_ = at_ == At::top ? At::end : At::top;
    return true;
  }

  bool start_array(std::size_t) {
    if (at_ == At::before_shape) {
      at_ = At::shape;
    } else if (at_ == At::before_offsets) {
      at_ = At::offsets;
      offsets_.clear();
    } else {
      unexpected("an array");
    }
    return true;
  }

  bool end_array() {
    if (at_ == At::offsets) {
      require(offsets_.size() == 2, where(), "data_offsets must have 2 numbers");
      entry().begin = offsets_[0];
      entry().end = offsets_[1];
    }
    at_ = At::entry;
    return true;
  }

  bool string(std::string& text) {
    if (at_ == At::metadata) {
      header_.metadata.emplace(std::move(key_), text);
    } else if (at_ == At::before_dtype) {
      entry().dtype = text;
      at_ = At::entry;
    } else {
      unexpected("a string");
    }
    return true;
  }

  bool number_unsigned(std::uint64_t number) {
    if (at_ == At::shape) {
      require(entry().shape.size() < Type::max_rank, where(), "a tensor has at most ", Type::max_rank, " dimensions");
      entry().shape.push_back(number);
    } else if (at_ == At::offsets) {
      require(offsets_.size() < 2, where(), "data_offsets must have 2 numbers");
      offsets_.push_back(number);
    } else {
      unexpected("a number");
    }
    return true;
  }

  bool number_integer(std::int64_t) { unexpected("a negative number"); }
  bool number_float(double, const std::string& text) { unexpected("the number " + shown(text)); }
  bool boolean(bool) { unexpected("a boolean"); }
  bool null() { unexpected("null"); }
  bool binary(std::vector<std::uint8_t>&) { unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    fail("the header is not JSON in UTF-8 (byte ", position, ")");
  }

 private:
  enum class At {
    start,
    top,
    before_metadata,
    metadata,
    before_entry,
    entry,
    before_dtype,
    before_shape,
    shape,
    before_offsets,
    offsets,
    end
  };

  void begin_field(const std::string& name) {
    static constexpr std::pair<std::string_view, At> fields[] = {
        {"dtype", At::before_dtype}, {"shape", At::before_shape}, {"data_offsets", At::before_offsets}};
    for (unsigned i = 0; i < 3; ++i) {
      if (fields[i].first != name) continue;
      require(!(fields_ & 1u << i), where(), name, " is given twice");
      fields_ |= 1u << i;
      at_ = fields[i].second;
      return;
    }
    fail(where(), "unknown field ", shown(name));
  }

  HeaderEntry& entry() { return header_.entries.back(); }

  std::string where() const {
    if (at_ == At::metadata || at_ == At::before_metadata) return "__metadata__: ";
    if (at_ == At::start || at_ == At::top || at_ == At::end) return "";
    return "tensor " + shown(header_.entries.back().name) + ": ";
  }
  [[noreturn]] void unexpected(const std::string& what) const { fail(where(), what, " where none is allowed"); }

  Header header_;
  At at_ = At::start;
  unsigned fields_ = 0;  // one bit per field of the entry seen so far
  std::string key_;
  std::vector<std::uint64_t> offsets_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t most = 100;
  std::string result(text.substr(0, most));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  return text.size() > most ? result + "..." : result;
}

Header parse_header(std::span<const char> text) {
  require(!text.empty() && text.front() == '{', "the header does not start with '{'");
  HeaderReader reader;
  nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  return std::move(reader).take();
}

}  // namespace weft::data
