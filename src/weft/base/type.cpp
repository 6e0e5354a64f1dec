#include <weft/base/type.h>

#include <algorithm>
#include <mutex>
#include <ostream>
#include <unordered_set>

#include <weft/base/arena.h>
#include <weft/base/hash.h>

namespace weft {

struct Type::Registry {
  struct Key {
    DType dtype;
    std::span<const Dim> dims;
    std::uint64_t hash;
  };
  static bool same(const Key& key, const Data* data) {
    return key.hash == data->hash && key.dtype == data->dtype &&
           std::ranges::equal(key.dims, std::span(data->dims, data->rank));
  }
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Data* data) const { return data->hash; }
    std::size_t operator()(const Key& key) const { return key.hash; }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Data* a, const Data* b) const { return a == b; }
    bool operator()(const Key& key, const Data* data) const { return same(key, data); }
    bool operator()(const Data* data, const Key& key) const { return same(key, data); }
  };

  const Data* intern(const Key& key) {
    // Recording looks up the same few types again and again in one thread, so a small direct-mapped cache avoids the lock.
    thread_local const Data* recent[256] = {};
    const Data*& slot = recent[key.hash & 255];
    if (slot && same(key, slot)) return slot;
    const std::lock_guard lock(mutex);
    if (const auto found = types.find(key); found != types.end()) return slot = *found;
    const auto dims = arena.copy(key.dims);
    std::int64_t elements = 1;
    bool known = true;
    for (const Dim d : dims) {
      known = known && d.is_constant();
      require(!d.is_constant() || d.value() == 0 || elements <= (std::int64_t{1} << 56) / d.value(),
              "a tensor of more than 2^56 elements cannot exist");
      if (d.is_constant() && d.value() != 0) elements *= d.value();
    }
    if (std::ranges::any_of(dims, [](Dim d) { return d == Dim(0); }) || key.dtype == DType::token) elements = 0;
    slot = arena.make<Data>(key.dtype, static_cast<int>(dims.size()), known ? elements : -1, key.hash, dims.data());
    types.insert(slot);
    return slot;
  }

  static Registry& instance() {
    static auto* registry = new Registry;  // never destroyed: types outlive everything
    return *registry;
  }

  std::mutex mutex;
  Arena arena;
  std::unordered_set<const Data*, Hash, Equal> types;
};

Type::Type(DType dtype, std::span<const Dim> dims) {
  require(dims.size() <= max_rank, "a tensor has at most ", max_rank, " dimensions, got ", dims.size());
  std::uint64_t hash = mix(static_cast<std::uint64_t>(dtype), dims.size());
  for (const Dim d : dims) hash = mix(hash, d.bits());
  data_ = Registry::instance().intern({dtype, dims, hash});
}

void Type::not_static() const { fail("the size of ", *this, " is not known yet"); }

std::ostream& operator<<(std::ostream& out, Type t) {
  if (!t) return out << "none";
  if (t.dtype() == DType::token) return out << "!stablehlo.token";
  out << "tensor<";
  for (const Dim d : t.dims()) {
    if (d.is_constant()) {
      out << d.value() << 'x';
    } else {
      out << "?x";
    }
  }
  return out << t.dtype() << '>';
}

void row_major_strides(std::span<const Dim> dims, std::span<std::int64_t> strides) {
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i].value();
  }
}

}  // namespace weft
