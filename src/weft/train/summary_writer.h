// Writes event files, which TensorBoard shows (torch.utils.tensorboard.SummaryWriter):
//
//   train::SummaryWriter writer("runs/first");
//   writer.add_scalar("loss", train_step(images, labels), step);   // does not wait for the step
//
// Each record is its length, a masked CRC-32C of it, a protobuf message and its CRC-32C (TensorFlow's TFRecord).
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <variant>

#include <weft/tensor/tensor.h>

namespace weft::train {

// Thread-safe. A file that cannot be written throws Error that names it.
class SummaryWriter {
 public:
  // Makes the folder and a new file in it.
  explicit SummaryWriter(const std::filesystem::path& folder);
  SummaryWriter(const SummaryWriter&) = delete;
  SummaryWriter& operator=(const SummaryWriter&) = delete;
  ~SummaryWriter();  // writes what is pending

  void add_scalar(const std::string& tag, double value, std::int64_t step);
  // The tensor holds one number, which is written once it has been computed.
  void add_scalar(const std::string& tag, const Tensor& value, std::int64_t step);
  void add_text(const std::string& tag, const std::string& text, std::int64_t step);  // Markdown
  // Waits for the values that are pending and hands everything to the operating system. This also happens every two minutes.
  void flush();

  const std::filesystem::path& path() const { return path_; }

 private:
  struct Scalar {
    std::string tag;
    std::variant<double, Future<double>> value;
    std::int64_t step;
    double wall_time;
  };

  void add(Scalar scalar);
  void write_ready(bool wait);
  void write_record(const std::string& message);

  std::mutex mutex_;
  std::filesystem::path path_;
  std::ofstream file_;
  std::deque<Scalar> pending_;  // in the order of their calls
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace weft::train
