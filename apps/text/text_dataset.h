// A text file as training data for a byte-level model: a token is one byte, 0 to 255. The first nine tenths of the file are for
// training, the rest for validation. Windows are read from the file on request, so files of any size work.
//
// The windows of a batch depend only on the seed and the step: a resumed run gets the same batches, and there is no state to
// save. Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include <weft/base/file.h>

namespace weft::text {

class TextDataset {
 public:
  static constexpr std::int64_t vocabulary = 256;

  // Throws Error if the file cannot be read, or if either part is too short for a window of context + 1 bytes.
  TextDataset(const std::filesystem::path& path, std::int64_t context);

  std::int64_t window() const { return window_; }  // context + 1, because inputs and targets overlap
  std::int64_t train_bytes() const { return train_bytes_; }
  std::int64_t validation_bytes() const { return bytes() - train_bytes_; }
  std::int64_t bytes() const { return std::ssize(file_); }
  std::string digest() const { return file_.digest(); }  // of the whole text

  // Fills `tokens` ([batch, window], row-major) with windows at random positions of the training part.
  void train_batch(std::uint64_t seed, std::int64_t step, std::span<std::int32_t> tokens) const;

  // The validation part, divided into windows whose targets do not overlap: returns their number, and fills `tokens` [count,
  // window] with those from window `first` on.
  std::int64_t validation_windows() const { return (validation_bytes() - 1) / (window_ - 1); }
  void validation_batch(std::int64_t first, std::span<std::int32_t> tokens) const;

 private:
  void read_window(std::int64_t offset, std::span<std::int32_t> tokens) const;

  File file_;
  std::int64_t window_;
  std::int64_t train_bytes_;
};

}  // namespace weft::text
