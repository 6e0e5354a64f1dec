#include <weft/fuzz/inputs.h>

#include <limits>

#include <weft/base/hash.h>

namespace weft::fuzz {

namespace {

double random_float(Random& random, bool few, bool wild) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double edges[] = {0.0, -0.0, infinity, -infinity, nan, 1, -1, 65504, 1e-40, -6e-8, 3e38, 1e300};
  if (wild && random.one_in(4)) return random.pick(edges);
  return few ? random.between(-3, 3) : random.uniform(-4, 4);
}

template <class T>
T random_integer(Random& random, bool few, bool wild) {
  if (wild) {
    constexpr T edges[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T{0}, static_cast<T>(-1)};
    return random.one_in(3) ? random.pick(edges) : static_cast<T>(random.bits());
  }
  const std::int64_t high = few ? 3 : 20;
  return random.between(std::numeric_limits<T>::is_signed ? -high : 0, high);
}

}  // namespace

ir::Array random_array(Type type, Random& random, bool wild) {
  ir::Array array(type);
  const bool few = random.one_in(3);
  visit(type.dtype(), [&]<class T>(T) {
    for (T& x : array.data<T>()) {
      if constexpr (std::is_same_v<T, bool>)
        x = random.one_in(2);
      else if constexpr (is_float_type<T>)
        x = static_cast<T>(random_float(random, few, wild));
      else
        x = random_integer<T>(random, few, wild);
    }
  });
  return array;
}

std::vector<ir::Array> random_inputs(const ir::Graph& graph, std::uint64_t seed) {
  std::vector<ir::Array> inputs;
  for (const ir::Value v : graph.inputs()) {
    Random random(mix(seed, inputs.size()));
    inputs.push_back(random_array(v.type(), random, random.one_in(8)));
  }
  return inputs;
}

}  // namespace weft::fuzz
