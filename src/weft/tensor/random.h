// Random numbers. They are counter-based (Philox): the key and the index of the element determine each number, so a key
// gives the same numbers on any machine and with any number of threads. Keys are inputs of the program, so a new key
// does not recompile.
//
// The functions without a key take the next key of this thread's generator, which derives its keys from a seed and the
// number of calls.
#pragma once

#include <cstdint>
#include <source_location>
#include <vector>

#include <weft/record/lifetime.h>
#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

namespace random {

// The source of one stream of random numbers. Use a key only once; to get more keys, split it or fold in a number.
struct Key {
  explicit Key(std::uint64_t seed) : bits(seed) {}
  std::uint64_t bits;
  // The draw of a generator that produced this key in the trace of a compiled function, counted from 1; 0 if none.
  std::uint32_t draw = 0;
  friend bool operator==(Key a, Key b) { return a.bits == b.bits; }
};
Key fold_in(Key key, std::uint64_t data);  // returns a different key for each number
std::vector<Key> split(Key key, int count = 2);

// A source of keys. The seed and the number of calls are its whole state, which can be saved and restored.
struct Generator {
  std::uint64_t seed = 0, calls = 0;
  record::Lifetime lifetime = {};
  Key next();
};
Generator& default_generator();  // the generator of this thread

using Where = std::source_location;
Tensor bits(Key key, const Shape& shape, DType dtype = DType::u32,
            Where where = Where::current());  // unsigned integers
Tensor uniform(Key key, const Shape& shape, DType dtype = DType::f32, Where where = Where::current());  // in [0, 1)
Tensor normal(Key key, const Shape& shape, DType dtype = DType::f32,
              Where where = Where::current());  // mean 0, variance 1
// Integers in [low, high). The bounds are part of the program.
Tensor integers(Key key, const Shape& shape, std::int64_t low, std::int64_t high, DType dtype = DType::i32,
                Where where = Where::current());
Tensor bernoulli(Key key, const Shape& shape, const Operand& probability);  // true with this probability
Tensor permutation(Key key, std::int64_t size, Where where = Where::current());
// Indices along the last dimension (i32), drawn with the probabilities softmax(logits).
Tensor categorical(Key key, const Operand& logits);

}  // namespace random

void manual_seed(std::uint64_t seed);  // seeds this thread's generator, whose seed is 0 at first

Tensor rand(const Shape& shape, DType dtype = DType::f32, std::source_location where = std::source_location::current());
Tensor randn(const Shape& shape, DType dtype = DType::f32,
             std::source_location where = std::source_location::current());
Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, DType dtype = DType::i32,
               std::source_location where = std::source_location::current());
Tensor bernoulli(const Shape& shape, const Operand& probability);
// Sets elements of x to 0 with this probability and scales the others by 1 / (1 - probability).
Tensor dropout(const Operand& x, const Operand& probability);
Tensor dropout(random::Key key, const Operand& x, const Operand& probability);

}  // namespace weft
