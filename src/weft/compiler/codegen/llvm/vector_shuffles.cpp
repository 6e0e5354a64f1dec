#include <weft/compiler/codegen/llvm/vector_shuffles.h>

#include <algorithm>

namespace weft::compiler {

using llvm::Value;
using Vectors = std::vector<Value*>;

namespace {

int length_of(Value* vector) {
  return static_cast<int>(llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements());
}

// Returns one vector with the elements of all, one vector after the other. The first has at least as many elements as each of the others.
Value* joined(llvm::IRBuilder<>& b, const Vectors& vectors) {
  Value* all = vectors[0];
  for (std::size_t i = 1; i < vectors.size(); ++i) {
    const int first = length_of(all), more = length_of(vectors[i]);
    std::vector<int> widen, join;
    for (int k = 0; k < first; ++k) {
      widen.push_back(k < more ? k : -1);
      join.push_back(k);
    }
    for (int k = 0; k < more; ++k) join.push_back(first + k);
    all = b.CreateShuffleVector(all, b.CreateShuffleVector(vectors[i], widen), join);
  }
  return all;
}

}  // namespace

// Uses the shuffles that processors have: those that interleave within 16 bytes, then those that move 16 bytes as a whole.
Vectors transposed(llvm::IRBuilder<>& b, Vectors rows, int element_bytes) {
  constexpr int bytes_of_piece = 16;
  const int count = static_cast<int>(rows.size()), piece = std::min(count, bytes_of_piece / element_bytes);
  const auto interleave = [&](Value* low, Value* high, bool second_half) {
    std::vector<int> from;
    for (int start = 0; start < count; start += piece)
      for (int i = 0; i < piece / 2; ++i) {
        const int at = start + i + (second_half ? piece / 2 : 0);
        from.insert(from.end(), {at, count + at});
      }
    return b.CreateShuffleVector(low, high, from);
  };
  for (int done = 1; done < piece; done *= 2) {
    Vectors next(rows.size());
    for (int start = 0; start < count; start += piece)
      for (int i = 0; i < piece / 2; ++i)
        for (const int half : {0, 1})
          next[start + 2 * i + half] = interleave(rows[start + i], rows[start + piece / 2 + i], half == 1);
    rows = std::move(next);
  }
  for (int distance = piece; distance < count; distance *= 2) {
    for (int i = 0; i < count; ++i) {
      if (i & distance) continue;
      std::vector<int> first, second;
      for (int lane = 0; lane < count; ++lane) {
        const bool is_upper = lane & distance;
        first.push_back(is_upper ? count + lane - distance : lane);
        second.push_back(is_upper ? count + lane : lane + distance);
      }
      Value *const low = rows[i], *const high = rows[i + distance];
      rows[i] = b.CreateShuffleVector(low, high, first);
      rows[i + distance] = b.CreateShuffleVector(low, high, second);
    }
  }
  return rows;
}

Value* interleaved(llvm::IRBuilder<>& b, Vectors vectors) {
  const int length = length_of(vectors[0]), count = static_cast<int>(vectors.size());
  std::vector<int> order;
  for (int i = 0; i < length; ++i)
    for (int k = 0; k < count; ++k) order.push_back(k * length + i);
  return b.CreateShuffleVector(joined(b, vectors), order);
}

Value* every(llvm::IRBuilder<>& b, Value* vector, int first, int count) {
  std::vector<int> chosen;
  for (int i = first; i < length_of(vector); i += count) chosen.push_back(i);
  return b.CreateShuffleVector(vector, chosen);
}

}  // namespace weft::compiler
