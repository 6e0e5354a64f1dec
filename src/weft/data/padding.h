// Pads sequences of different lengths to one batch, to the longest of them or to a bucket.
//
//   std::pair<Tensor, Tensor> batch(std::span<const std::int64_t> samples) const {   // of a dataset for data::Loader
//     std::vector<std::span<const std::int32_t>> captions = ...;
//     return {data::pad_sequences<std::int32_t>(captions, Bucketing{16, 32, 64}, padding),
//             data::lengths_of<std::int32_t>(captions)};
//   }
//   }
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <weft/base/bucketing.h>
#include <weft/base/error.h>
#include <weft/tensor/creation.h>

namespace weft::data {

template <class T>
std::int64_t longest(std::span<const std::span<const T>> sequences) {
  std::size_t most = 0;
  for (const auto& sequence : sequences) most = std::max(most, sequence.size());
  return most;
}

// Returns [sequences, size]: each sequence followed by `fill`. Throws Error if a sequence is longer than `size`.
template <class T>
Tensor pad_sequences(std::span<const std::span<const T>> sequences, std::int64_t size, T fill) {
  const std::size_t width = size;
  std::vector<T> padded(sequences.size() * width, fill);
  for (std::size_t row = 0; row < sequences.size(); ++row) {
    require(sequences[row].size() <= width, "pad_sequences: sequence ", row, " has a length of ", sequences[row].size(),
            ", more than ", size);
    std::ranges::copy(sequences[row], padded.begin() + row * width);
  }
  return from_vector(padded, {std::ssize(sequences), size});
}

// Pads to the longest sequence, or to the smallest bucket that holds it. Throws Error, which names the length and the
// largest bucket, if no bucket does.
template <class T>
Tensor pad_sequences(std::span<const std::span<const T>> sequences, T fill) {
  return pad_sequences(sequences, longest(sequences), fill);
}
template <class T>
Tensor pad_sequences(std::span<const std::span<const T>> sequences, const Bucketing& buckets, T fill) {
  return pad_sequences(sequences, buckets.size_for(longest(sequences)), fill);
}

// Returns the lengths as i32 [sequences], for masks.
template <class T>
Tensor lengths_of(std::span<const std::span<const T>> sequences) {
  std::vector<std::int32_t> lengths;
  for (const auto& sequence : sequences) lengths.push_back(sequence.size());
  return from_vector(lengths, {std::ssize(lengths)});
}

}  // namespace weft::data
