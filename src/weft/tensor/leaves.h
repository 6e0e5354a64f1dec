// The leaves of arguments and results of functions that are transformed or compiled: tensors, parameters and numbers, found in structs that
// list their members with fields(), and in optionals, pairs, tuples, arrays, vectors and maps of these.
#pragma once

#include <concepts>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <weft/tensor/module.h>
#include <weft/tensor/random.h>
#include <weft/tensor/scalar.h>
#include <weft/tensor/tensor.h>

namespace weft::detail {

template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;
template <class T>
concept Optional = requires(T& x) {
  x.has_value();
  *x;
};
template <class T>
concept Pointer = std::is_pointer_v<T> || requires(T& x) {
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
template <class T>
concept Map = Sequence<T> && requires {
  typename T::key_type;
  typename T::mapped_type;
};

template <class T, class... These>
inline constexpr bool is_any_of = (std::same_as<T, These> || ...);

// Whether a T owns its value, apart from its members, and is not a pointer or view to something elsewhere.
template <class T>
inline constexpr bool is_owned =
    !Pointer<T> && !std::ranges::enable_view<T> && (!Text<T> || std::same_as<T, std::string>);

// Calls visitor.tensor(x), .parameter(x), .scalar(x), .key(x), .value(number, enumerator or switch), .text(x) and
// .size(n) for the leaves of x, in a fixed order. Calls visitor.enter(name) and .leave() around each member, and
// .structure(true) and .structure(false) around each map key. If Visitor::is_of_result, x must not refer to anything
// outside.
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
  static_assert(
      !Visitor::is_of_result || is_owned<Plain>,
      "a result holds a pointer, a span or a view: every call would return the same object. Return what it refers "
      "to: a value, std::optional, std::vector or std::string");
  if constexpr (std::same_as<Plain, Tensor>) {
    visitor.tensor(x);
  } else if constexpr (std::same_as<Plain, Parameter>) {
    visitor.parameter(x);
  } else if constexpr (std::same_as<Plain, Scalar>) {
    visitor.scalar(x);
  } else if constexpr (std::is_arithmetic_v<Plain> || std::is_enum_v<Plain> || std::same_as<Plain, Flag>) {
    visitor.value(x);
  } else if constexpr (std::same_as<Plain, random::Key>) {
    visitor.key(x);
  } else if constexpr (std::same_as<Plain, Shape> || std::same_as<Plain, Type>) {
    visitor.text(concat(x));
  } else if constexpr (Text<Plain>) {
    visitor.text(std::string_view(x));
  } else if constexpr (Module<Plain>) {
    const_cast<Plain&>(x).fields(below);  // fields() is not const, but changes nothing here
  } else if constexpr (Optional<T>) {
    visitor.size(x ? 1 : 0);
    if (x) visit_leaves(*x, visitor);
  } else if constexpr (Pointer<Plain>) {
    visitor.size(x ? 1 : 0);
    if (x) visit_leaves(*x, visitor);
  } else if constexpr (Map<Plain>) {
    visitor.size(x.size());
    std::size_t i = 0;
    for (auto& [key, value] : x) {
      using Key = typename Plain::key_type;
      if constexpr (std::integral<Key> || Text<Key>) {
        visitor.enter(key);
      } else {
        visitor.enter(i++);
      }
      visitor.structure(true);
      visit_leaves(key, visitor);
      visitor.structure(false);
      visit_leaves(value, visitor);
      visitor.leave();
    }
  } else if constexpr (Sequence<T>) {
    visitor.size(x.size());
    std::size_t i = 0;
    for (auto& item : x) below_index(i++, item);
  } else if constexpr (Tuple<Plain>) {
    std::size_t i = 0;
    std::apply([&](auto&... items) { (below_index(i++, items), ...); }, x);
  } else {
    static_assert(Module<Plain>,
                  "an argument or result is neither a tensor, a number, a string nor a struct with fields(), nor a "
                  "container of them");
  }
}

// Returns whether a T has leaves; does not examine the members that a struct lists in fields().
template <class T>
constexpr bool has_leaves() {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (std::is_arithmetic_v<Plain> || std::is_enum_v<Plain> || Text<Plain> || Module<Plain> ||
                is_any_of<Plain, Tensor, Parameter, Scalar, Flag, random::Key, Shape, Type>) {
    return true;
  } else if constexpr (Optional<Plain> || Pointer<Plain>) {
    return has_leaves<decltype(*std::declval<Plain&>())>();
  } else if constexpr (Map<Plain>) {
    return has_leaves<typename Plain::key_type>() && has_leaves<typename Plain::mapped_type>();
  } else if constexpr (Sequence<Plain>) {
    return has_leaves<decltype(*std::declval<Plain&>().begin())>();
  } else if constexpr (Tuple<Plain>) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (has_leaves<std::tuple_element_t<I, Plain>>() && ...);
    }(std::make_index_sequence<std::tuple_size_v<Plain>>());
  } else {
    return false;
  }
}

// Calls `function` for every tensor of a result.
template <class Function>
class TensorVisitor {
 public:
  static constexpr bool is_of_result = true;

  explicit TensorVisitor(Function function) : function_(std::move(function)) {}
  void tensor(auto& x) { function_(x); }
  template <class T>
  void parameter(T&) {
    static_assert(std::same_as<T, Tensor>, "a result holds a Parameter: return its tensor");
  }
  template <class T>
  void scalar(T&) {
    static_assert(std::same_as<T, Tensor>, "a result holds a Scalar: return a number or a Tensor");
  }
  template <class T>
  void key(T&) {
    static_assert(std::same_as<T, Tensor>, "a result holds a random key: return what is made with it");
  }
  void value(const auto&) {}
  void text(std::string_view) {}
  void size(std::size_t) {}
  void enter(const auto&) {}
  void leave() {}
  void structure(bool) {}

 private:
  Function function_;
};

template <class T>
void for_each_tensor(T& result, auto&& function) {
  TensorVisitor visitor(function);
  visit_leaves(result, visitor);
}

}  // namespace weft::detail
