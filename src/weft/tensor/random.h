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

// Keys may also be tensors, one number of u64 each: vmap gives every example its own, as JAX does. These functions give the bits of the
// keys that fold_in and split give.
//   vmap([](const Tensor& key) { return random::normal(key, {3}); })(random::keys(random::Key(0), 8))
Tensor fold_in(const Tensor& key, const Operand& data);
Tensor keys(Key key, std::int64_t count, std::source_location where = std::source_location::current());  // [count]
Tensor split(const Tensor& key, std::int64_t count = 2,
             std::source_location where = std::source_location::current());  // [count]

// The argument type of functions that draw: a key of either kind.
class AnyKey {
 public:
  AnyKey(Key key) : key_(key) {}                    // NOLINT
  AnyKey(const Tensor& bits) : tensor_(&bits) {}    // NOLINT: used only during the call
  const Tensor* tensor() const { return tensor_; }  // null for a key on the host
  Key key() const { return key_; }

 private:
  Key key_{0};
  const Tensor* tensor_ = nullptr;
};

// A source of keys. The seed and the number of calls are its whole state, which can be saved and restored.
struct Generator {
  std::uint64_t seed = 0, calls = 0;
  record::Lifetime lifetime = {};
  Key next();
};
Generator& default_generator();  // the generator of this thread

using Where = std::source_location;
Tensor bits(const AnyKey& key, const Shape& shape, DType dtype = DType::u32,
            Where where = Where::current());  // unsigned integers
Tensor uniform(const AnyKey& key, const Shape& shape, DType dtype = DType::f32,
               Where where = Where::current());  // in [0, 1)
Tensor normal(const AnyKey& key, const Shape& shape, DType dtype = DType::f32,
              Where where = Where::current());  // mean 0, variance 1
// Integers in [low, high). The bounds are part of the program.
Tensor integers(const AnyKey& key, const Shape& shape, std::int64_t low, std::int64_t high, DType dtype = DType::i32,
                Where where = Where::current());
Tensor bernoulli(const AnyKey& key, const Shape& shape, const Operand& probability);  // true with this probability
Tensor permutation(const AnyKey& key, std::int64_t size, Where where = Where::current());
// Indices along the last dimension (i32), drawn with the probabilities softmax(logits).
Tensor categorical(const AnyKey& key, const Operand& logits);
// `count` indices along the last dimension of the weights, which are drawn with probabilities in proportion to them: i32 [..., count].
// Without replacement, all are different, and at least as many weights must be positive. (torch.multinomial)
Tensor multinomial(const AnyKey& key, const Operand& weights, std::int64_t count, bool replacement = false);
Tensor exponential(const AnyKey& key, const Shape& shape, DType dtype = DType::f32,
                   Where where = Where::current());  // mean 1
Tensor gumbel(const AnyKey& key, const Shape& shape, DType dtype = DType::f32,
              Where where = Where::current());  // -log(-log(u)) for u uniform in (0, 1)

}  // namespace random

void manual_seed(std::uint64_t seed);  // seeds this thread's generator, whose seed is 0 at first

Tensor rand(const Shape& shape, DType dtype = DType::f32, std::source_location where = std::source_location::current());
Tensor randn(const Shape& shape, DType dtype = DType::f32,
             std::source_location where = std::source_location::current());
Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, DType dtype = DType::i32,
               std::source_location where = std::source_location::current());
Tensor bernoulli(const Shape& shape, const Operand& probability);
Tensor randperm(std::int64_t size, std::source_location where = std::source_location::current());  // i32
Tensor multinomial(const Operand& weights, std::int64_t count, bool replacement = false);
// softmax((logits + noise) / tau) with Gumbel noise; with `hard`, 1 at the greatest element and 0 elsewhere, with the gradient of the
// softmax. (Jang, Gu & Poole 2017; torch.nn.functional.gumbel_softmax)
Tensor gumbel_softmax(const Operand& logits, double tau = 1, bool hard = false, std::int64_t axis = -1);
Tensor gumbel_softmax(const random::AnyKey& key, const Operand& logits, double tau = 1, bool hard = false,
                      std::int64_t axis = -1);
// Sets elements of x to 0 with this probability and scales the others by 1 / (1 - probability).
Tensor dropout(const Operand& x, const Operand& probability);
Tensor dropout(const random::AnyKey& key, const Operand& x, const Operand& probability);
// Dropout of whole channels of x [batch, channels, ...]. (torch.nn.functional.dropout1d to dropout3d)
Tensor channel_dropout(const Operand& x, const Operand& probability);
Tensor channel_dropout(const random::AnyKey& key, const Operand& x, const Operand& probability);
// Dropout that keeps mean 0 and variance 1: dropped elements take the limit of selu, and all are then scaled and moved. (Klambauer et al.
// 2017)
Tensor alpha_dropout(const Operand& x, double probability);
Tensor alpha_dropout(const random::AnyKey& key, const Operand& x, double probability);

}  // namespace weft
