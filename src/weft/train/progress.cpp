#include <weft/train/progress.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/runtime/ranks.h>

namespace weft::train {

int terminal_columns() {
  for (const int stream : {STDERR_FILENO, STDOUT_FILENO})
    if (winsize size{}; ::ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

Progress::Options Progress::standard_error(std::int64_t line_every) {
  static std::ostream nowhere(nullptr);
  if (runtime::ranks().rank != 0) return {.out = &nowhere, .line_every = rarely};  // the first process shows it for all
  return {&std::cerr, ::isatty(STDERR_FILENO) != 0, terminal_columns(), line_every};
}

Progress::Progress(std::string what, std::int64_t done, std::int64_t total, Options options)
    : what_(std::move(what)),
      first_(done),
      done_(done),
      total_(total),
      said_(done),
      options_(options),
      start_(Clock::now()),
      drawn_(start_) {}

Progress::~Progress() {
  if (!shown_.empty()) *options_.out << std::endl;
}

void Progress::update(std::int64_t done, const std::function<std::string()>& status) {
  done_ = done;
  const auto now = Clock::now();
  const auto rest = [&] {
    const std::string text = status();
    if (total_ == 0) return text.empty() ? concat(done_) : concat(done_, " ", text);
    return concat(done_, "/", total_, text.empty() ? "" : "  ", text, "  ", time_left());
  };
  if (options_.terminal) {
    if (now - drawn_ < std::chrono::milliseconds(100) && (total_ == 0 || done_ < total_) && !shown_.empty()) return;
    drawn_ = now;
    draw(bar(rest()));
  } else if (line_is_due(now)) {
    drawn_ = now;
    said_ = done_;
    *options_.out << what_ << " " << rest() << std::endl;
  }
}

bool Progress::line_is_due(Clock::time_point now) const {
  if (said_ == done_) return false;
  if (now - drawn_ >= std::chrono::seconds(10)) return true;
  return options_.line_every != rarely && (done_ - said_ >= options_.line_every || done_ == total_);
}

void Progress::note(const std::string& line) {
  if (!shown_.empty()) *options_.out << '\r' << std::string(shown_.size(), ' ') << '\r';
  *options_.out << line << std::endl;
  if (!shown_.empty()) *options_.out << shown_ << std::flush;
}

std::string Progress::time_left() const {
  if (done_ >= total_) return "done";
  if (done_ == first_) return "ETA --:--";
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const auto seconds = static_cast<long long>(elapsed / (done_ - first_) * (total_ - done_));
  char text[48];
  if (seconds < 3600) {
    std::snprintf(text, sizeof text, "ETA %lld:%02lld", seconds / 60, seconds % 60);
  } else {
    std::snprintf(text, sizeof text, "ETA %lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }
  return text;
}

std::string Progress::bar(const std::string& rest) const {
  const int room = options_.columns - static_cast<int>(what_.size() + rest.size()) - 6;
  std::string line = what_ + " ";
  if (const int width = std::min(room, 30); width >= 5 && total_ > 0) {
    const int full = width * std::min(done_, total_) / total_;
    line += "[" + std::string(full, '#') + std::string(width - full, '-') + "] ";
  }
  line += rest;
  return line.substr(0, std::max(1, options_.columns - 1));
}

void Progress::draw(const std::string& line) {
  const std::size_t before = shown_.size();
  shown_ = line;
  *options_.out << '\r' << line << std::string(before > line.size() ? before - line.size() : 0, ' ') << std::flush;
}

}  // namespace weft::train
