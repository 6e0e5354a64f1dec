#include <weft/data/lines.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include <weft/base/error.h>

namespace weft::data {

namespace {

constexpr std::size_t text_part_bytes = LineReader::longest_line;

}  // namespace

LineReader::LineReader(std::filesystem::path path, std::uint64_t position) : file_(std::move(path)) {
  if (!is_gzip(file_)) {
    require(position <= file_.size(), "cannot read ", file_.path().string(), " from byte ", position, ": it has ",
            file_.size());
    next_ = position_ = position;
    return;
  }
  gzip_.emplace(file_);
  while (position_ < position) {
    buffer_.resize(std::min<std::uint64_t>(text_part_bytes, position - position_));
    const std::size_t count = gzip_->read(buffer_);
    position_ += count;
    require(count > 0, "cannot read ", file_.path().string(), " from byte ", position, " of its text: it has ",
            position_);
  }
  buffer_.clear();
}

// Appends the next part of the file to the buffer; false at the end of the file.
bool LineReader::refill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t kept = buffer_.size();
  require(kept <= longest_line, file_.path().string(), ": the line at byte ", position_, " is longer than ",
          longest_line, " bytes");
  std::size_t count = text_part_bytes;
  if (!gzip_) count = std::min<std::uint64_t>(count, file_.size() - next_);
  buffer_.resize(kept + count);
  const std::span<char> part = std::span(buffer_).subspan(kept);
  if (gzip_) {
    count = gzip_->read(part);
  } else {
    file_.read(next_, std::as_writable_bytes(part));
    next_ += count;
  }
  buffer_.resize(kept + count);
  return count > 0;
}

// Calls use(text) for pieces of whole lines, `count` in total or up to the end of the file. Returns their number.
template <class Use>
std::int64_t LineReader::each(std::int64_t count, Use use) {
  std::int64_t taken = 0;
  while (taken < count) {
    std::size_t end = begin_;
    while (taken < count) {
      const void* newline = std::memchr(buffer_.data() + end, '\n', buffer_.size() - end);
      if (newline == nullptr) break;
      end = static_cast<const char*>(newline) - buffer_.data() + 1;
      ++taken;
    }
    use(std::string_view(buffer_).substr(begin_, end - begin_));
    position_ += end - begin_;
    begin_ = end;
    if (taken == count || refill()) continue;
    if (buffer_.empty()) break;
    use(std::string_view(buffer_));
    use("\n");
    position_ += buffer_.size();
    buffer_.clear();
    ++taken;
    break;
  }
  return taken;
}

std::int64_t LineReader::take(std::int64_t count, std::string& text) {
  return each(count, [&](std::string_view part) { text += part; });
}

std::int64_t LineReader::skip(std::int64_t count) {
  return each(count, [](std::string_view) {});
}

}  // namespace weft::data
