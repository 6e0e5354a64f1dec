#include <weft/ir/factors.h>

#include <algorithm>
#include <ostream>

namespace weft::ir {

namespace {

void make_rest_whole(Type type, std::vector<DimFactors>& dims, Factors& factors) {
  for (int d = 0; d < type.rank(); ++d)
    if (dims[d].empty() && type.dim(d) != Dim(1)) dims[d] = {factors.add(type.dim(d), Factor::Kind::whole)};
}

// Returns whether each factor of a dimension that is split follows factors that are split into single elements.
bool splits_major_first(const DimFactors& dim, const Factors& factors, const Mesh& mesh, const FactorAxes& axes) {
  bool is_complete = true;
  for (const int factor : dim) {
    const Sharding::Axes& own = axes[factor];
    if (!own.empty() && !is_complete) return false;
    is_complete = is_complete && factors.all[factor].size == Dim(devices_along(mesh, own));
  }
  return true;
}

// Returns the axes of a dimension: those of its factors, from major to minor. Nullopt if this is not a sharding of the dimension.
std::optional<Sharding::Axes> axes_of(const DimFactors& dim, const Factors& factors, const Mesh& mesh,
                                      const FactorAxes& axes) {
  if (!splits_major_first(dim, factors, mesh, axes)) return std::nullopt;
  Sharding::Axes all;
  for (const int factor : dim) all.insert(all.end(), axes[factor].begin(), axes[factor].end());
  return all;
}

std::optional<Sharding> sharding_of(std::span<const DimFactors> dims, Sharding::Partial partial, const Factors& factors,
                                    const Mesh& mesh, const FactorAxes& axes) {
  std::vector<Sharding::Axes> all;
  for (const DimFactors& dim : dims) {
    auto of_dim = axes_of(dim, factors, mesh, axes);
    if (!of_dim) return std::nullopt;
    all.push_back(std::move(*of_dim));
  }
  return Sharding(mesh, std::move(all), std::move(partial));
}

// Returns the axes along which the factors that are reduced are split.
Sharding::Partial partial_axes(const Factors& factors, const FactorAxes& axes) {
  Sharding::Partial partial;
  for (int f = 0; f < std::ssize(factors.all); ++f)
    if (factors.all[f].kind == Factor::Kind::reduced)
      for (const int axis : axes[f]) partial.emplace_back(axis, factors.all[f].reduction);
  return partial;
}

// Names factors by letters, in the order in which they are printed first.
class Letters {
 public:
  explicit Letters(std::size_t factors) : letters_(factors) {}

  void print(std::ostream& out, int factor) {
    char& letter = letters_[factor];
    if (letter == 0) {
      letter = next_;
      next_ = next_ == 'z' ? 'A' : static_cast<char>(next_ + 1);
    }
    out << letter;
  }

  void print(std::ostream& out, std::span<const DimFactors> dims) {
    for (const DimFactors& dim : dims) {
      if (dim.empty()) out << '1';
      if (dim.size() > 1) out << '(';
      for (const int factor : dim) print(out, factor);
      if (dim.size() > 1) out << ')';
    }
  }

  void print(std::ostream& out, std::span<const std::vector<DimFactors>> tensors) {
    for (const char* separator = ""; const auto& dims : tensors) {
      out << std::exchange(separator, ",");
      print(out, dims);
    }
  }

 private:
  std::vector<char> letters_;
  char next_ = 'a';
};

}  // namespace

bool has_factor(std::span<const DimFactors> dims, int factor) {
  return std::ranges::any_of(dims, [&](const DimFactors& dim) { return std::ranges::count(dim, factor) != 0; });
}

void pointwise_factors(const Node& node, Factors& f) {
  const Type type = node.type();
  for (int d = 0; d < type.rank(); ++d) {
    const int letter = f.add(type.dim(d));
    f.results[0][d] = {letter};
    for (auto& operand : f.operands)
      if (std::ssize(operand) == type.rank()) operand[d] = {letter};
  }
}

void no_factors(const Node&, Factors&) {}

Factors factors_of(const Node& node) {
  Factors factors;
  for (const Value v : node.operands) factors.operands.emplace_back(v.rank());
  for (const Type type : node.types) factors.results.emplace_back(type.rank());
  if (node.op->has_sizes()) factors.attribute_sizes.assign(node.op->attributes->sizes(node.attribute_data).size(), -1);
  const bool is_pointwise = node.op->kind == Kind::elementwise && !node.op->factors;
  (is_pointwise ? pointwise_factors : node.op->factors ? node.op->factors : no_factors)(node, factors);
  for (int i = 0; i < std::ssize(node.operands); ++i)
    make_rest_whole(node.operand(i).type(), factors.operands[i], factors);
  for (int i = 0; i < std::ssize(node.types); ++i) make_rest_whole(node.type(i), factors.results[i], factors);
  return factors;
}

// An operand without a factor that others sum over, such as the initial value of a sum, must be counted once: its parts add up to it.
std::optional<Sharding> Factors::operand_sharding(int operand, const Node& node, const Mesh& mesh,
                                                  const FactorAxes& axes) const {
  Sharding::Partial partial;
  const bool adds_up = node.op->linear && node.op->linear(node, operand) == Linearity::together;
  for (const auto& [axis, reduction] : partial_axes(*this, axes)) {
    if (!adds_up || reduction != Reduction::sum) continue;
    const auto factor =
        std::ranges::find_if(axes, [&](const auto& own) { return std::ranges::count(own, axis) != 0; }) - axes.begin();
    if (!has_factor(operands[operand], static_cast<int>(factor))) partial.emplace_back(axis, reduction);
  }
  return sharding_of(operands[operand], std::move(partial), *this, mesh, axes);
}

std::optional<Sharding> Factors::result_sharding(int result, const Mesh& mesh, const FactorAxes& axes) const {
  return sharding_of(results[result], partial_axes(*this, axes), *this, mesh, axes);
}

bool Factors::can_split(const Mesh& mesh, const FactorAxes& axes) const {
  const auto can_split_dim = [&](const DimFactors& dim) { return splits_major_first(dim, *this, mesh, axes); };
  const auto can_split_tensor = [&](const std::vector<DimFactors>& dims) {
    return std::ranges::all_of(dims, can_split_dim);
  };
  return std::ranges::all_of(operands, can_split_tensor) && std::ranges::all_of(results, can_split_tensor);
}

std::optional<FactorAxes> Factors::axes_of_result(int result, const Sharding& sharding) const {
  const Mesh& mesh = sharding.mesh();
  FactorAxes axes(all.size());
  for (int d = 0; d < sharding.rank(); ++d) {
    auto factor = results[result][d].begin();
    for (const int axis : sharding.axes(d)) {
      while (factor != results[result][d].end() && all[*factor].size == Dim(devices_along(mesh, axes[*factor])))
        ++factor;
      if (factor == results[result][d].end() || all[*factor].kind == Factor::Kind::whole) return std::nullopt;
      axes[*factor].push_back(axis);
      if (all[*factor].size.value() % devices_along(mesh, axes[*factor]) != 0) return std::nullopt;
    }
  }
  const auto given = result_sharding(result, mesh, axes);
  return given && *given == sharding ? std::optional(axes) : std::nullopt;
}

std::ostream& operator<<(std::ostream& out, const Factors& factors) {
  Letters letters(factors.all.size());
  letters.print(out, factors.operands);
  out << "->";
  letters.print(out, factors.results);
  bool any = false;
  for (int f = 0; f < std::ssize(factors.all); ++f) {
    const Factor& factor = factors.all[f];
    if (factor.kind == Factor::Kind::pass) continue;
    out << (std::exchange(any, true) ? ", " : " (");
    letters.print(out, f);
    if (factor.kind == Factor::Kind::whole) {
      out << " whole";
    } else {
      out << ' ' << factor.reduction;
    }
  }
  return any ? out << ')' : out;
}

}  // namespace weft::ir
