// Streams of samples that are the lines of files.
#include <utility>

#include <apps/ranking/sample_stream.h>
#include <weft/base/digest.h>
#include <weft/base/error.h>
#include <weft/data/lines.h>

namespace weft::ranking {

namespace {

// Lines of one file.
struct LinesOfFile {
  std::filesystem::path file;
  std::int64_t first = 0;  // number of the first line, from 1
  std::string text = {};
};

void parse_lines(const LinesOfFile& lines, bool tolerant, Samples& made) {
  std::string_view rest = lines.text;
  for (std::int64_t number = lines.first; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    CriteoSample sample;
    const std::string wrong = parse_sample(line, sample);
    if (wrong.empty()) {
      made.samples.push_back(sample);
      continue;
    }
    if (!tolerant)
      fail(lines.file.string(), ", line ", number, ": ", wrong, "; --tolerant skips such lines and counts them");
    if (made.skipped++ == 0) made.first_skipped = concat(lines.file.string(), ", line ", number, ": ", wrong);
  }
}

class FileStream : public SampleStream {
 public:
  FileStream(std::vector<std::filesystem::path> files, bool tolerant, StreamPosition from)
      : files_(std::move(files)), tolerant_(tolerant), at_(from) {
    open();
  }

  std::function<Samples()> next(std::int64_t count) override {
    std::vector<LinesOfFile> taken;
    while (reader_ && count > 0) {
      LinesOfFile lines{.file = reader_->path(), .first = at_.lines + 1};
      const std::int64_t added = reader_->take(count, lines.text);
      count -= added;
      at_.lines += added;
      at_.byte = reader_->position();
      if (added > 0) taken.push_back(std::move(lines));
      if (count == 0) break;
      at_ = {.day = at_.day + 1};
      open();
    }
    if (taken.empty()) return {};
    return [taken = std::move(taken), tolerant = tolerant_] {
      Samples made;
      for (const LinesOfFile& lines : taken) parse_lines(lines, tolerant, made);
      return made;
    };
  }
  StreamPosition position() const override { return at_; }

 private:
  void open() {
    reader_.reset();
    if (at_.day < std::ssize(files_)) reader_.emplace(files_[at_.day], at_.byte);
  }

  std::vector<std::filesystem::path> files_;
  bool tolerant_;
  StreamPosition at_;
  std::optional<data::LineReader> reader_;  // of the current day; none at the end
};

}  // namespace

std::unique_ptr<SampleStream> FileDays::open(StreamPosition from) const {
  return std::make_unique<FileStream>(files_, tolerant_, from);
}

std::int64_t FileDays::count_samples(const std::function<void(std::int64_t)>& counted) const {
  constexpr std::int64_t at_once = 100'000;
  std::int64_t count = 0;
  for (const std::filesystem::path& file : files_) {
    data::LineReader lines(file);
    while (const std::int64_t more = lines.skip(at_once)) counted(count += more);
  }
  return count;
}

std::string FileDays::digest() const {
  std::string text;
  for (const std::filesystem::path& file : files_) {
    text += file.filename().string() + '\t';
    data::LineReader(file).take(1, text);
  }
  return hex_digest(text);
}

}  // namespace weft::ranking
