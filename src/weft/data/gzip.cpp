#include <weft/data/gzip.h>

#include <algorithm>
#include <array>
#include <new>
#include <zlib.h>

#include <weft/base/error.h>

namespace weft::data {

namespace {

constexpr int gzip_header = 16;  // added to the size of the window: the format is gzip's, not zlib's own
constexpr std::size_t part_bytes = std::size_t{1} << 18;

}  // namespace

bool is_gzip(const File& file) {
  std::array<std::byte, 2> start{};
  if (file.size() < start.size()) return false;
  file.read(0, start);
  return start[0] == std::byte{0x1f} && start[1] == std::byte{0x8b};
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_header, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string compressed(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  const int result = ::deflate(&stream, Z_FINISH);
  WEFT_ASSERT(result == Z_STREAM_END, "deflate needs more room than it has asked for");
  compressed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return compressed;
}

struct GzipReader::Inflater {
  z_stream stream{};
  bool in_member = false;  // a member has begun and has not ended

  Inflater() {
    if (::inflateInit2(&stream, MAX_WBITS + gzip_header) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

GzipReader::GzipReader(const File& file) : file_(file), inflater_(std::make_unique<Inflater>()) {}

GzipReader::~GzipReader() = default;

void GzipReader::refill() {
  compressed_.resize(std::min<std::uint64_t>(part_bytes, file_.size() - next_));
  file_.read(next_, compressed_);
  next_ += compressed_.size();
  inflater_->stream.next_in = reinterpret_cast<Bytef*>(compressed_.data());
  inflater_->stream.avail_in = static_cast<uInt>(compressed_.size());
}

std::size_t GzipReader::read(std::span<char> to) {
  z_stream& stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  const auto count = [&] { return to.size() - stream.avail_out; };
  while (stream.avail_out > 0) {
    if (stream.avail_in == 0 && next_ < file_.size()) refill();
    if (stream.avail_in == 0) {
      if (!inflater_->in_member) break;
      fail(file_.path().string(), " is truncated: its compressed data end within a member, after ",
           text_bytes_ + count(), " bytes of text; fetch or make the file again");
    }
    inflater_->in_member = true;
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) {
      inflater_->in_member = false;
      ::inflateReset(&stream);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      fail(file_.path().string(), " is damaged after ", text_bytes_ + count(),
           " bytes of text: ", stream.msg ? stream.msg : "it is no gzip data", "; fetch or make the file again");
    }
  }
  text_bytes_ += count();
  return count();
}

}  // namespace weft::data
