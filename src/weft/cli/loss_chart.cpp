#include <weft/cli/loss_chart.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

namespace weft::cli {

namespace {

constexpr int rows = 11, label_width = 8;  // label_width: of the labels on the left, including the axis
constexpr std::size_t fewest_losses = 8;
constexpr char training_mark = '.', validation_mark = 'o';

class Chart {
 public:
  Chart(std::span<const double> training, std::int64_t first_step, std::span<const ValidationLoss> validation,
        std::size_t width)
      : first_step_(first_step), steps_(training.size()), means_(width), lines_(rows, std::string(width, ' ')) {
    for (std::size_t i = 0; i < width; ++i) means_[i] = mean(training.subspan(begin(i), begin(i + 1) - begin(i)));
    find_range(validation);
    for (std::size_t i = 0; i < width; ++i) mark(i, means_[i], training_mark);
    for (const ValidationLoss& point : validation) mark(column_of(point.step), point.loss, validation_mark);
  }

  std::string text() const {
    std::string text;
    for (int row = 0; row < rows; ++row) {
      const bool is_labelled = row % 5 == 0;
      text +=
          is_labelled ? label(highest_ - row * (highest_ - lowest_) / (rows - 1)) : std::string(label_width - 1, ' ');
      text += '|' + without_blanks_behind(lines_[row]) + '\n';
    }
    const std::string first = std::to_string(first_step_), last = std::to_string(first_step_ + std::int64_t(steps_));
    const std::size_t width = means_.size(), between = std::max(width, first.size() + last.size() + 1);
    return text + std::string(label_width - 1, ' ') + '+' + std::string(width, '-') + '\n' +
           std::string(label_width, ' ') + first + std::string(between - first.size() - last.size(), ' ') + last +
           " steps\n" + std::string(label_width, ' ') + training_mark + " training loss   " + validation_mark +
           " validation loss\n";
  }

 private:
  static double mean(std::span<const double> losses) {
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
  }

  static std::string label(double loss) {
    char text[32];
    std::snprintf(text, sizeof text, "%*.3g ", label_width - 2, loss);
    return text;
  }

  static std::string without_blanks_behind(const std::string& line) {
    return line.substr(0, line.find_last_not_of(' ') + 1);
  }

  // Returns the index of the first loss in a column.
  std::size_t begin(std::size_t column) const { return column * steps_ / means_.size(); }

  std::size_t column_of(std::int64_t step) const {
    const auto loss = std::clamp<std::int64_t>(step - first_step_ - 1, 0, steps_ - 1);
    return loss * means_.size() / steps_;
  }

  void find_range(std::span<const ValidationLoss> validation) {
    const auto [low, high] = std::ranges::minmax(means_);
    lowest_ = low, highest_ = high;
    for (const ValidationLoss& point : validation) {
      lowest_ = std::min(lowest_, point.loss);
      highest_ = std::max(highest_, point.loss);
    }
    if (highest_ == lowest_) highest_ += 1;
  }

  void mark(std::size_t column, double loss, char with) {
    const double from_top = (highest_ - loss) / (highest_ - lowest_) * (rows - 1);
    lines_[std::lround(from_top)][column] = with;
  }

  std::int64_t first_step_;
  std::size_t steps_;
  std::vector<double> means_;  // mean training loss of each column
  std::vector<std::string> lines_;
  double lowest_ = 0, highest_ = 0;
};

}  // namespace

std::string loss_chart(std::span<const double> training, std::int64_t first_step,
                       std::span<const ValidationLoss> validation, int columns) {
  constexpr int narrowest = 10;
  const int width = columns - label_width;
  if (training.size() < fewest_losses || width < narrowest) return {};
  return Chart(training, first_step, validation, std::min(training.size(), static_cast<std::size_t>(width))).text();
}

}  // namespace weft::cli
