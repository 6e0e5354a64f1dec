// Random numbers. They are counter-based (Philox) on the index of the element: a key says everything, and the same key gives the
// same numbers on any machine and for any number of threads. Keys are inputs of the program, so a new one does not recompile.
//
// The functions without a key take the next one of this thread's generator, which counts calls from its seed.
#pragma once

#include <cstdint>
#include <source_location>
#include <vector>

#include <weft/record/lifetime.h>
#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

namespace random {

// What a stream of random numbers is made from. A key is used once: split it, or fold something in, for more.
struct Key {
  explicit Key(std::uint64_t seed) : bits(seed) {}
  std::uint64_t bits;
  std::uint32_t draw = 0;  // which draw of a generator it is, in the trace of a compiled function; 0: none
  friend bool operator==(Key a, Key b) { return a.bits == b.bits; }
};
Key fold_in(Key key, std::uint64_t data);  // another key for every number
std::vector<Key> split(Key key, int count = 2);

// A source of keys: seed and calls are its state, to be saved and restored.
struct Generator {
  std::uint64_t seed = 0, calls = 0;
  record::Lifetime lifetime = {};
  Key next();
};
Generator& default_generator();  // of this thread

using Where = std::source_location;
Tensor bits(Key key, const Shape& shape, DType dtype = DType::u32,
            Where where = Where::current());  // of unsigned integers
Tensor uniform(Key key, const Shape& shape, DType dtype = DType::f32, Where where = Where::current());  // in [0, 1)
Tensor normal(Key key, const Shape& shape, DType dtype = DType::f32,
              Where where = Where::current());  // mean 0, variance 1
// In [low, high); the bounds are part of the program.
Tensor integers(Key key, const Shape& shape, std::int64_t low, std::int64_t high, DType dtype = DType::i32,
                Where where = Where::current());
Tensor bernoulli(Key key, const Shape& shape, const Operand& probability);  // true with this probability
Tensor permutation(Key key, std::int64_t size, Where where = Where::current());
// An index of the last dimension (i32), drawn with the probabilities softmax(logits).
Tensor categorical(Key key, const Operand& logits);

}  // namespace random

void manual_seed(std::uint64_t seed);  // of this thread's generator; it begins with 0

Tensor rand(const Shape& shape, DType dtype = DType::f32, std::source_location where = std::source_location::current());
Tensor randn(const Shape& shape, DType dtype = DType::f32,
             std::source_location where = std::source_location::current());
Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, DType dtype = DType::i32,
               std::source_location where = std::source_location::current());
Tensor bernoulli(const Shape& shape, const Operand& probability);
// x with elements set to 0 with this probability and the others scaled by 1 / (1 - probability).
Tensor dropout(const Operand& x, const Operand& probability);
Tensor dropout(random::Key key, const Operand& x, const Operand& probability);

}  // namespace weft
