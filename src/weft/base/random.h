// Counter-based random bits: Threefry2x32 with 20 rounds and Philox4x32 with 10 (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011), with the counters that XLA uses for rng_bit_generator. Each element can be computed
// independently.
//
// The block functions are written over a type that behaves like a 32-bit unsigned integer: std::uint32_t, or a code
// generator's value (compiler/codegen/llvm/random_emitter.cpp) with the operators + ^ | << >> against itself and std::uint32_t, and a
// multiply_wide found by its namespace.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace weft::random {

template <class U32>
struct Wide {
  U32 low, high;
};

inline Wide<std::uint32_t> multiply_wide(std::uint32_t x, std::uint32_t factor) {
  const std::uint64_t product = std::uint64_t{x} * factor;
  return {static_cast<std::uint32_t>(product), static_cast<std::uint32_t>(product >> 32)};
}

template <class U32>
std::array<U32, 2> threefry2x32(std::array<U32, 2> key, std::array<U32, 2> counter) {
  constexpr std::uint32_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const U32 schedule[3] = {key[0], key[1], key[0] ^ key[1] ^ std::uint32_t{0x1bd11bda}};
  U32 x = counter[0] + schedule[0], y = counter[1] + schedule[1];
  for (std::uint32_t group = 0; group < 5; ++group) {
    for (const std::uint32_t r : rotations[group % 2]) {
      x = x + y;
      y = x ^ ((y << r) | (y >> (32 - r)));
    }
    x = x + schedule[(group + 1) % 3];
    y = y + schedule[(group + 2) % 3] + (group + 1);
  }
  return {x, y};
}

template <class U32>
std::array<U32, 4> philox4x32(std::array<U32, 2> key, std::array<U32, 4> counter) {
  for (int round = 0; round < 10; ++round) {
    const Wide<U32> a = multiply_wide(counter[0], std::uint32_t{0xd2511f53});
    const Wide<U32> b = multiply_wide(counter[2], std::uint32_t{0xcd9e8d57});
    counter = {b.high ^ counter[1] ^ key[0], b.low, a.high ^ counter[3] ^ key[1], a.low};
    key = {key[0] + std::uint32_t{0x9e3779b9}, key[1] + std::uint32_t{0xbb67ae85}};
  }
  return counter;
}

// Splits a 64-bit word into its halves, the low one first.
constexpr std::array<std::uint32_t, 2> split(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
}
constexpr std::uint64_t join(std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32 | low; }

// The bits of a tensor from a state {key, counter}. A 64-bit element i takes block i. Elements of up to 32 bits (narrower ones
// are truncated) share a block in pairs along one dimension: the first with an even size, else the first with the largest size.
class Threefry {
 public:
  static constexpr std::uint64_t words_per_block = 2;

  Threefry(std::span<const std::uint64_t> state, std::span<const std::int64_t> sizes, int byte_width)
      : key_(state[0]), counter_(state[1]), wide_(byte_width == 8) {
    std::size_t pick = sizes.size();
    for (std::size_t d = sizes.size(); d-- > 0;) {
      elements_ *= sizes[d];
      if (pick == sizes.size() || better(sizes[d], sizes[pick])) pick = d;
    }
    if (pick == sizes.size()) return;
    size_ = sizes[pick];
    for (std::size_t d = pick + 1; d < sizes.size(); ++d) inner_ *= sizes[d];
    if (inner_ == 1 && size_ % 2 == 0) size_ = elements_;  // pair neighbours, whatever the outer dimensions are
  }

  // Returns the bits of element `i` in row-major order.
  std::uint64_t bits(std::uint64_t i) const {
    if (wide_) return join(block(i)[0], block(i)[1]);
    const std::uint64_t outer = i / inner_ / size_, along = i / inner_ % size_, inner = i % inner_;
    return block((outer * half() + along / 2) * inner_ + inner)[along % 2];
  }

  std::uint64_t blocks() const { return wide_ ? elements_ : size_ == 0 ? 0 : elements_ / size_ * half(); }
  // Elements of up to 32 bits lie in pairs along a dimension of halved_size(), inner_size() elements apart.
  std::uint64_t halved_size() const { return size_; }
  std::uint64_t inner_size() const { return inner_; }
  // Returns whether the words of all blocks in order are the bytes of the elements, if these have 4 or 8 bytes.
  bool words_are_elements() const { return wide_ || (inner_ == 1 && size_ % 2 == 0); }

  // Calls put(element, bits) for the elements of the blocks [begin, end). `words` holds the words of these blocks, one block
  // after the other.
  template <class Put>
  void place(std::uint64_t begin, std::uint64_t end, const std::uint32_t* words, Put&& put) const {
    if (wide_) {
      for (std::uint64_t b = begin; b < end; ++b, words += 2) put(b, join(words[0], words[1]));
      return;
    }
    // Runs of blocks: along the halved dimension, or along the dimensions inside it.
    const bool neighbours = inner_ == 1;
    const std::uint64_t run = neighbours ? half() : inner_;
    for (std::uint64_t b = begin; b < end;) {
      const std::uint64_t at = b % run, count = std::min(run - at, end - b);
      if (neighbours) {
        const std::uint64_t first = b / run * size_ + 2 * at, elements = std::min(2 * count, size_ - 2 * at);
        for (std::uint64_t j = 0; j < elements; ++j) put(first + j, std::uint64_t{words[j]});
      } else {
        const std::uint64_t row = b / run, along = 2 * (row % half());
        const std::uint64_t first = (row / half() * size_ + along) * inner_ + at;
        for (std::uint64_t j = 0; j < count; ++j) put(first + j, std::uint64_t{words[2 * j]});
        if (along + 1 < size_)
          for (std::uint64_t j = 0; j < count; ++j) put(first + inner_ + j, std::uint64_t{words[2 * j + 1]});
      }
      b += count;
      words += 2 * count;
    }
  }

  // Returns the parameters of the blocks: the key, and the counter of block 0 with its high word, which is always 0 here.
  std::array<std::uint64_t, 3> state() const { return {key_, counter_, 0}; }
  // Returns the state for the next call, of two words.
  std::array<std::uint64_t, 3> next_state() const { return {key_, counter_ + blocks(), 0}; }

 private:
  std::array<std::uint32_t, 2> block(std::uint64_t b) const { return threefry2x32(split(key_), split(counter_ + b)); }
  // Returns whether `size` is preferred to `than`, the size of a dimension further inside.
  static bool better(std::int64_t size, std::int64_t than) { return size % 2 == 0 || (than % 2 != 0 && size >= than); }
  std::uint64_t half() const { return (size_ + 1) / 2; }

  std::uint64_t key_, counter_;
  bool wide_;
  // The number of elements of the tensor, of the halved dimension, and of the dimensions inside it.
  std::uint64_t elements_ = 1, size_ = 1, inner_ = 1;
};

// The bits of a tensor from a state {key, counter's low word, its high word}, or {key, low} with the key as high word. A block
// gives four elements of up to 32 bits (narrower ones are truncated) or two of 64, in row-major order.
class Philox {
 public:
  static constexpr std::uint64_t words_per_block = 4;

  Philox(std::span<const std::uint64_t> state, std::uint64_t elements, int byte_width)
      : key_(state[0]),
        low_(state[1]),
        high_(state.size() == 3 ? state[2] : state[0]),
        elements_(elements),
        wide_(byte_width == 8) {}

  std::uint64_t bits(std::uint64_t i) const {
    const auto x = block(i / per_block());
    const std::size_t at = i % per_block();
    return wide_ ? join(x[2 * at], x[2 * at + 1]) : x[at];
  }

  // The same as in Threefry.
  std::uint64_t blocks() const { return (elements_ + per_block() - 1) / per_block(); }
  bool words_are_elements() const { return true; }
  template <class Put>
  void place(std::uint64_t begin, std::uint64_t end, const std::uint32_t* words, Put&& put) const {
    const std::uint64_t last = std::min(end * per_block(), elements_);
    for (std::uint64_t i = begin * per_block(); i < last; ++i) {
      put(i, wide_ ? join(words[0], words[1]) : std::uint64_t{words[0]});
      words += wide_ ? 2 : 1;
    }
  }

  std::array<std::uint64_t, 3> state() const { return {key_, low_, high_}; }
  // Returns the state for the next call, of as many words as the given state.
  std::array<std::uint64_t, 3> next_state() const {
    const auto [low, high] = advanced(blocks());
    return {key_, low, high};
  }

 private:
  std::uint64_t per_block() const { return wide_ ? 2 : 4; }
  std::array<std::uint32_t, 4> block(std::uint64_t b) const {
    const auto [low, high] = advanced(b);
    return philox4x32(split(key_), {split(low)[0], split(low)[1], split(high)[0], split(high)[1]});
  }
  std::array<std::uint64_t, 2> advanced(std::uint64_t blocks) const {
    const std::uint64_t low = low_ + blocks;
    return {low, high_ + (low < low_ ? 1 : 0)};
  }

  std::uint64_t key_, low_, high_, elements_;
  bool wide_;
};

}  // namespace weft::random
