// Arguments and results of compiled functions as flat lists of leaves: tensors, parameters and numbers found in structs that list
// their members with fields(), and in optionals, pairs, tuples, arrays, vectors and maps of such.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/tensor/module.h>
#include <weft/tensor/random.h>
#include <weft/tensor/scalar.h>
#include <weft/tensor/tensor.h>

namespace weft::jit {

template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;
template <class T>
concept Nullable = requires(T& x) {
  x.has_value();
  *x;
} || requires(T& x) {
  x.get();
  *x;
};
template <class T>
concept Tuple = requires { std::tuple_size<T>::value; };
template <class T>
concept Sequence = requires(T& x) {
  x.begin();
  x.end();
  x.size();
};

// Calls visitor.tensor(x), .parameter(x), .scalar(x), .value(number, enumerator or switch), .text(x) and .size(n) for what is in
// x, in a fixed order; within visitor.enter(name) and .leave().
template <class T, class Visitor>
void visit_leaves(T& x, Visitor& visitor) {
  using Plain = std::remove_const_t<T>;
  const auto below = [&](std::string_view name, auto& member) {
    visitor.enter(name);
    visit_leaves(member, visitor);
    visitor.leave();
  };
  const auto below_index = [&](std::size_t i, auto& member) {
    visitor.enter(i);
    visit_leaves(member, visitor);
    visitor.leave();
  };
  if constexpr (std::same_as<Plain, Tensor>) {
    visitor.tensor(x);
  } else if constexpr (std::same_as<Plain, Parameter>) {
    visitor.parameter(x);
  } else if constexpr (std::same_as<Plain, Scalar>) {
    visitor.scalar(x);
  } else if constexpr (std::is_arithmetic_v<Plain> || std::is_enum_v<Plain> || std::same_as<Plain, Flag>) {
    visitor.value(x);
  } else if constexpr (std::same_as<Plain, random::Key>) {
    visitor.value(x.bits);
  } else if constexpr (std::same_as<Plain, Shape> || std::same_as<Plain, Type>) {
    visitor.text(concat(x));
  } else if constexpr (Text<Plain>) {
    visitor.text(std::string_view(x));
  } else if constexpr (Module<Plain>) {
    const_cast<Plain&>(x).fields(below);  // fields() is not const, and changes nothing
  } else if constexpr (Nullable<T>) {
    visitor.size(x ? 1 : 0);
    if (x) visit_leaves(*x, visitor);
  } else if constexpr (Sequence<T>) {
    visitor.size(x.size());
    std::size_t i = 0;
    for (auto& item : x) below_index(i++, item);
  } else if constexpr (Tuple<Plain>) {
    std::size_t i = 0;
    std::apply([&](auto&... items) { (below_index(i++, items), ...); }, x);
  } else if constexpr (std::is_pointer_v<Plain>) {
    visitor.size(x ? 1 : 0);
    if (x) visit_leaves(*x, visitor);
  } else {
    static_assert(Module<Plain>,
                  "compile: an argument or result is neither a tensor, a number, a string nor a struct with fields(), "
                  "nor a container of them");
  }
}

// What the bits of a value are.
enum class ValueKind : std::uint8_t { boolean, signed_integer, unsigned_integer, f32, f64, enumerator, text };

template <class T>
constexpr ValueKind kind_of_value() {
  if constexpr (std::same_as<T, bool> || std::same_as<T, Flag>) {
    return ValueKind::boolean;
  } else if constexpr (std::is_enum_v<T>) {
    return ValueKind::enumerator;
  } else if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) <= sizeof(double), "compile: a long double cannot be an argument");
    return sizeof(T) == sizeof(float) ? ValueKind::f32 : ValueKind::f64;
  } else {
    return std::is_signed_v<T> ? ValueKind::signed_integer : ValueKind::unsigned_integer;
  }
}

// One leaf of the arguments of a call.
struct Leaf {
  enum class Kind : std::uint8_t {
    tensor,  // any tensor of this type will do
    scalar,  // a Scalar, any
    object,  // this very Parameter, or Scalar in a struct
    value,   // of a number, switch or enumerator
    size,    // of a container
  };
  Kind kind;
  std::uint64_t bits = 0;  // of a value, size, or the address of an object
  Type type = {};          // of a tensor or parameter
  const void* at = nullptr;
  ValueKind value_kind = ValueKind::signed_integer;  // of a value

  const Tensor& tensor() const { return *static_cast<const Tensor*>(at); }
  const Scalar& scalar() const { return *static_cast<const Scalar*>(at); }
  // What a specialisation depends on.
  bool same_signature(const Leaf& other) const {
    return kind == other.kind && bits == other.bits && type == other.type;
  }
};

std::string describe(const Leaf& leaf);  // in the user's words: tensor<8x784xf32>, 0.5, true

// Gathers the leaves of arguments, and their paths if asked to.
class LeafCollector {
 public:
  explicit LeafCollector(std::vector<Leaf>& leaves, std::vector<std::string>* paths = nullptr)
      : leaves_(leaves), paths_(paths) {}

  // One argument: a Scalar, held by value for the call, or anything else.
  template <class T>
  void argument(std::size_t i, T& x) {
    enter(i);
    if constexpr (std::same_as<std::remove_const_t<T>, Scalar>) {
      add({Leaf::Kind::scalar, 0, {}, &x});
    } else {
      visit_leaves(x, *this);
    }
    leave();
  }

  void tensor(const Tensor& x) { add({Leaf::Kind::tensor, 0, x.defined() ? x.type() : Type(), &x}); }
  void parameter(const Parameter& x) {
    const Tensor& value = x.unobserved();
    add({Leaf::Kind::object, reinterpret_cast<std::uintptr_t>(&x), value.defined() ? value.type() : Type(), &x});
  }
  void scalar(const Scalar& x) { add({Leaf::Kind::object, reinterpret_cast<std::uintptr_t>(&x), {}, &x}); }
  template <class T>
  void value(const T& x) {
    std::uint64_t bits = 0;
    static_assert(sizeof x <= sizeof bits);
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
    } else {
      std::memcpy(&bits, &x, sizeof x);
    }
    add({Leaf::Kind::value, bits, {}, &x, kind_of_value<T>()});
  }
  void text(std::string_view x) {  // its size, and eight characters a leaf
    size(x.size());
    for (; !x.empty(); x.remove_prefix(std::min<std::size_t>(x.size(), 8))) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, x.data(), std::min<std::size_t>(x.size(), 8));
      add({Leaf::Kind::value, bits, {}, nullptr, ValueKind::text});
    }
  }
  void size(std::size_t n) { add({Leaf::Kind::size, n, {}, nullptr}); }

  void enter(std::string_view name) {
    if (!paths_) return;
    lengths_.push_back(path_.size());
    if (!path_.empty()) path_ += '.';
    path_ += name;
  }
  void enter(std::size_t i) {
    if (paths_) enter(std::to_string(i));
  }
  void leave() {
    if (!paths_) return;
    path_.resize(lengths_.back());
    lengths_.pop_back();
  }

 private:
  void add(const Leaf& leaf) {
    leaves_.push_back(leaf);
    if (paths_) paths_->push_back(path_);
  }

  std::vector<Leaf>& leaves_;
  std::vector<std::string>* paths_;
  std::string path_;
  std::vector<std::size_t> lengths_;
};

// Calls `function` for every tensor of a result.
template <class Function>
class TensorVisitor {
 public:
  explicit TensorVisitor(Function function) : function_(std::move(function)) {}
  void tensor(auto& x) { function_(x); }
  template <class T>
  void parameter(T&) {
    refuse<T>();
  }
  template <class T>
  void scalar(T&) {
    refuse<T>();
  }
  template <class T>
  void value(T&) {
    refuse<T>();
  }
  void size(std::size_t) {}
  void enter(auto) {}
  void leave() {}

 private:
  template <class T>
  static void refuse() {
    static_assert(
        std::same_as<T, Tensor>,
        "compile: a function returns tensors, alone or in structs and containers: other values would be those of "
        "the call that was recorded");
  }

  Function function_;
};

template <class T>
void for_each_tensor(T& result, auto&& function) {
  TensorVisitor visitor(function);
  visit_leaves(result, visitor);
}

}  // namespace weft::jit
