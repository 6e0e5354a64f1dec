// Collects the leaves of the arguments of compiled functions (tensor/leaves.h) in lists.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/tensor/leaves.h>

namespace weft::jit {

using detail::for_each_tensor;
using detail::has_leaves;
using detail::is_any_of;
using detail::is_owned;
using detail::Map;
using detail::Optional;
using detail::Pointer;
using detail::Sequence;
using detail::Text;
using detail::Tuple;
using detail::visit_leaves;

// The C++ type from which the bits of a value come.
enum class ValueKind : std::uint8_t { boolean, signed_integer, unsigned_integer, f32, f64, enumerator, text };

template <class T>
constexpr ValueKind kind_of_value() {
  if constexpr (std::same_as<T, bool>) {
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

// A leaf of the arguments of a call.
struct Leaf {
  enum class Kind : std::uint8_t {
    tensor,  // any tensor of this type fits
    scalar,  // any Scalar fits
    object,  // only this Parameter fits, or this Scalar inside a struct
    value,   // a number, switch or enumerator with this value
    size,    // a container of this size
  };
  Kind kind;
  std::uint64_t bits = 0;  // the value, the size, or the address of an object
  Type type = {};          // of a tensor or parameter
  const void* at = nullptr;
  const record::TensorImpl* tensor_impl = nullptr;   // the implementation of the tensor; null if undefined
  ValueKind value_kind = ValueKind::signed_integer;  // of a value
  bool is_structure = false;                         // a map key, which is also part of the path
  runtime::LayoutId layout = {};                     // of a tensor or parameter

  const Tensor& tensor() const { return *static_cast<const Tensor*>(at); }
  const Scalar& scalar() const { return *static_cast<const Scalar*>(at); }
  // Compares the properties on which a specialisation depends.
  bool same_signature(const Leaf& other) const {
    return kind == other.kind && bits == other.bits && type == other.type && layout == other.layout;
  }
};

std::string describe(const Leaf& leaf);  // for messages: tensor<8x784xf32>, 0.5, true

// Collects the leaves of arguments, and their paths if `paths` is given.
class LeafCollector {
 public:
  static constexpr bool is_of_result = false;

  explicit LeafCollector(std::vector<Leaf>& leaves, std::vector<std::string>* paths = nullptr)
      : leaves_(leaves), paths_(paths) {}

  // Adds one argument; a top-level Scalar is held by value for the call.
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

  void tensor(const Tensor& x) {
    if (x.defined()) {
      add({.kind = Leaf::Kind::tensor,
           .type = x.type(),
           .at = &x,
           .tensor_impl = &x.impl(),
           .layout = x.impl().layout});
    } else {
      add({Leaf::Kind::tensor, 0, {}, &x});
    }
  }
  void parameter(const Parameter& x) {
    const Tensor& value = x.unobserved();
    Leaf leaf{.kind = Leaf::Kind::object, .bits = reinterpret_cast<std::uintptr_t>(&x), .at = &x};
    if (value.defined()) leaf.type = value.type(), leaf.layout = value.impl().layout;
    add(leaf);
  }
  void scalar(const Scalar& x) { add({Leaf::Kind::object, reinterpret_cast<std::uintptr_t>(&x), {}, &x}); }
  void key(const random::Key& x) { value(x.bits); }
  void value(const Flag& x) { add({Leaf::Kind::value, x.unobserved(), {}, &x, nullptr, ValueKind::boolean}); }
  template <class T>
  void value(const T& x) {
    std::uint64_t bits = 0;
    static_assert(sizeof x <= sizeof bits);
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      bits = x;  // with its sign in the upper bits
    } else {
      std::memcpy(&bits, &x, sizeof x);
    }
    add({Leaf::Kind::value, bits, {}, &x, nullptr, kind_of_value<T>()});
  }
  void text(std::string_view x) {  // adds the size, and one leaf for every eight characters
    size(x.size());
    for (; !x.empty(); x.remove_prefix(std::min<std::size_t>(x.size(), 8))) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, x.data(), std::min<std::size_t>(x.size(), 8));
      add({Leaf::Kind::value, bits, {}, nullptr, nullptr, ValueKind::text});
    }
  }
  void size(std::size_t n) { add({Leaf::Kind::size, n, {}, nullptr}); }

  void enter(std::string_view name) {
    if (!paths_) return;
    lengths_.push_back(path_.size());
    if (!path_.empty()) path_ += '.';
    path_ += name;
  }
  void enter(std::integral auto i) {
    if (paths_) enter(std::string_view(std::to_string(i)));
  }
  void leave() {
    if (!paths_) return;
    path_.resize(lengths_.back());
    lengths_.pop_back();
  }
  void structure(bool is) { is_structure_ = is; }

 private:
  void add(const Leaf& leaf) {
    leaves_.push_back(leaf);
    leaves_.back().is_structure = is_structure_;
    if (paths_) paths_->push_back(path_);
  }

  std::vector<Leaf>& leaves_;
  std::vector<std::string>* paths_;
  std::string path_;
  std::vector<std::size_t> lengths_;
  bool is_structure_ = false;
};

// Returns whether a T, unless it is a model, has numbers or characters of its own that a function could write.
template <class T>
constexpr bool has_plain_values() {
  if constexpr (std::is_const_v<T> || std::same_as<T, Tensor> || std::same_as<T, Parameter> ||
                std::same_as<T, Scalar> || std::same_as<T, Flag> || Module<T>) {
    return false;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, random::Key> ||
                       std::same_as<T, Shape> || std::same_as<T, Type> || Text<T>) {
    return true;
  } else if constexpr (Optional<T> || Pointer<T>) {
    return has_plain_values<std::remove_reference_t<decltype(*std::declval<T&>())>>();
  } else if constexpr (Sequence<T>) {
    return has_plain_values<std::remove_reference_t<decltype(*std::declval<T&>().begin())>>();
  } else if constexpr (Tuple<T>) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (has_plain_values<std::tuple_element_t<I, T>>() || ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    return false;
  }
}

// Whether a function with this declared parameter type may write plain values. Such a write would be lost, because a
// replay does not run the function.
template <class Declared>
inline constexpr bool writes_plain_values =
    std::is_lvalue_reference_v<Declared>
        ? has_plain_values<std::remove_reference_t<Declared>>()
        : std::is_pointer_v<Declared> && has_plain_values<std::remove_pointer_t<Declared>>();

}  // namespace weft::jit
