// Derives a schema from the fields that an attribute struct lists. Only ops.cpp includes this file; it thereby instantiates the
// schemas of all ops of the table.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include <weft/base/hash.h>
#include <weft/ir/attributes.h>

namespace weft::ir {

namespace detail {

inline Literal copy_of(Arena& arena, const Literal& value) { return {value.type, arena.copy(value.bytes)}; }
inline Ints copy_of(Arena& arena, Ints values) { return arena.copy(values); }
inline IntMatrix copy_of(Arena& arena, const IntMatrix& m) { return {m.columns, arena.copy(m.values)}; }
inline std::string_view copy_of(Arena& arena, std::string_view text) {
  const auto chars = arena.copy(std::span<const char>(text.data(), text.size()));
  return {chars.data(), chars.size()};
}
template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
T copy_of(Arena&, T value) {
  return value;
}

inline std::uint64_t hash_of(const Literal& value) {
  return mix(value.type.hash(), hash_bytes(value.bytes.data(), value.bytes.size()));
}
inline std::uint64_t hash_of(Ints values) {
  std::uint64_t hash = values.size();
  for (const std::int64_t v : values) hash = mix(hash, v);
  return hash;
}
inline std::uint64_t hash_of(const IntMatrix& m) { return mix(m.columns, hash_of(m.values)); }
inline std::uint64_t hash_of(std::string_view text) { return hash_bytes(text); }
template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
std::uint64_t hash_of(T value) {
  return static_cast<std::uint64_t>(value);
}

inline bool same(const Literal& a, const Literal& b) {
  return a.type == b.type && std::ranges::equal(a.bytes, b.bytes);
}
inline bool same(Ints a, Ints b) { return std::ranges::equal(a, b); }
inline bool same(const IntMatrix& a, const IntMatrix& b) { return a.columns == b.columns && same(a.values, b.values); }
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}

inline void show(FieldVisitor& v, std::string_view name, const Literal& value) { v.literal(name, value); }
inline void show(FieldVisitor& v, std::string_view name, const Ints& value) { v.integers(name, value); }
inline void show(FieldVisitor& v, std::string_view name, const IntMatrix& value) { v.matrix(name, value); }
inline void show(FieldVisitor& v, std::string_view name, const std::string_view& value) { v.string(name, value); }
template <class T>
void show(FieldVisitor& v, std::string_view name, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    v.boolean(name, value);
  } else if constexpr (std::is_enum_v<T>) {
    v.enumerator(name, EnumNames<T>::attribute, EnumNames<T>::names[static_cast<std::size_t>(value)]);
  } else {
    v.integer(name, value, 8 * sizeof(T));
  }
}

inline void ask(FieldReader& r, std::string_view name, Literal& value) { r.literal(name, value); }
inline void ask(FieldReader& r, std::string_view name, Ints& value) { r.integers(name, value); }
inline void ask(FieldReader& r, std::string_view name, IntMatrix& value) { r.matrix(name, value); }
inline void ask(FieldReader& r, std::string_view name, std::string_view& value) { r.string(name, value); }
template <class T>
void ask(FieldReader& r, std::string_view name, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    r.boolean(name, value);
  } else if constexpr (std::is_enum_v<T>) {
    int at = static_cast<int>(value);
    if (r.enumerator(name, EnumNames<T>::names, at)) value = static_cast<T>(at);
  } else {
    std::int64_t wide = value;
    if (!r.integer(name, wide)) return;
    require(std::in_range<T>(wide), name, ": ", wide, " does not fit ", 8 * sizeof(T), " bits");
    value = wide;
  }
}

template <class A>
concept HasSizes = requires { A::size_fields; };
template <class A>
constexpr bool are_sizes(std::string_view field) {
  if constexpr (HasSizes<A>) return std::ranges::find(A::size_fields, field) != A::size_fields.end();
  return false;
}

// Returns the hash of the fields for which `counts(name)` is true.
template <class A>
std::uint64_t hash_of_fields(const void* attributes, auto&& counts) {
  std::uint64_t hash = 0;
  A::fields(*static_cast<const A*>(attributes), [&](std::string_view name, const auto& value) {
    if (counts(name)) hash = mix(hash, hash_of(value));
  });
  return hash;
}

// Returns whether `holds` is true for each pair of corresponding fields.
template <class A>
bool all_fields(const void* a, const void* b, auto&& holds) {
  bool all = true;
  // Both structs have the same layout, so each field of b is at the same offset as the corresponding field of a.
  A::fields(*static_cast<const A*>(a), [&]<class T>(std::string_view name, const T& value) {
    const auto offset = reinterpret_cast<const char*>(&value) - static_cast<const char*>(a);
    all = all && holds(name, value, *reinterpret_cast<const T*>(static_cast<const char*>(b) + offset));
  });
  return all;
}

}  // namespace detail

template <class A>
const AttributeSchema Schema<A>::value = {
    .copy = [](Arena& arena, const void* attributes) -> const void* {
      A* copy = arena.make<A>(*static_cast<const A*>(attributes));
      A::fields(*copy, [&](std::string_view, auto& value) { value = detail::copy_of(arena, value); });
      return copy;
    },
    .hash = [](const void* attributes) -> std::uint64_t {
      return detail::hash_of_fields<A>(attributes, [](std::string_view) { return true; });
    },
    .equal = [](const void* a, const void* b) -> bool {
      return detail::all_fields<A>(a, b,
                                   [](std::string_view, const auto& x, const auto& y) { return detail::same(x, y); });
    },
    .visit =
        [](const void* attributes, FieldVisitor& visitor) {
          A::fields(*static_cast<const A*>(attributes),
                    [&](std::string_view name, const auto& value) { detail::show(visitor, name, value); });
        },
    .read = [](Arena& arena, FieldReader& reader) -> const void* {
      reader.optional_fields = value.optional_fields;
      A* attributes = arena.make<A>();
      A::fields(*attributes, [&](std::string_view name, auto& value) { detail::ask(reader, name, value); });
      return attributes;
    },
    .has_sizes = detail::HasSizes<A>,
    .sizes = [](const void* attributes) -> std::vector<std::int64_t> {
      std::vector<std::int64_t> all;
      if constexpr (detail::HasSizes<A>)
        A::fields(*static_cast<const A*>(attributes), [&]<class T>(std::string_view name, const T& value) {
          if constexpr (std::is_same_v<T, Ints>)
            if (detail::are_sizes<A>(name)) all.insert(all.end(), value.begin(), value.end());
        });
      return all;
    },
    .with_sizes = [](Arena& arena, const void* attributes, Ints sizes) -> const void* {
      A* copy = arena.make<A>(*static_cast<const A*>(attributes));
      A::fields(*copy, [&]<class T>(std::string_view name, T& value) {
        if constexpr (std::is_same_v<T, Ints>) {
          if (detail::are_sizes<A>(name)) {
            const std::size_t count = value.size();
            value = arena.copy(sizes.first(count));
            sizes = sizes.subspan(count);
            return;
          }
        }
        value = detail::copy_of(arena, value);
      });
      return copy;
    },
    .hash_without_sizes = [](const void* attributes) -> std::uint64_t {
      return detail::hash_of_fields<A>(attributes, [](std::string_view name) { return !detail::are_sizes<A>(name); });
    },
    .equal_without_sizes = [](const void* a, const void* b) -> bool {
      return detail::all_fields<A>(a, b, []<class T>(std::string_view name, const T& x, const T& y) {
        if constexpr (std::is_same_v<T, Ints>)
          if (detail::are_sizes<A>(name)) return x.size() == y.size();
        return detail::same(x, y);
      });
    },
    .struct_name =
        [] {
          if constexpr (requires { A::struct_name; }) return A::struct_name;
          return std::string_view();
        }(),
    .optional_fields =
        [] {
          if constexpr (requires { A::optional_fields; }) return std::span<const std::string_view>(A::optional_fields);
          return std::span<const std::string_view>();
        }(),
};

}  // namespace weft::ir
