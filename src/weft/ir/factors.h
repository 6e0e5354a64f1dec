// The factors of a node: letters that relate the dimensions of its operands and results, as in an einsum. dot_general may be
// ab,bc->ac (b summed): dimension 0 of the left operand and of the result is a, and the sum runs over b. From the factors follows how
// the node can be computed in shards (localize.h). They are declared with each op (Op::factors); their semantics are those of Shardy's
// op sharding rules.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <vector>

#include <weft/ir/op.h>
#include <weft/ir/sharding.h>

namespace weft::ir {

struct Factor {
  enum class Kind : std::uint8_t {
    pass,     // each shard of the results depends only on the same shard of the operands
    reduced,  // only in operands: shards of the operands give parts of the results
    whole,    // cannot be split: every element may depend on all elements along this dimension
  };
  Dim size;
  Kind kind = Kind::pass;
  Reduction reduction = Reduction::sum;  // if reduced: how the parts combine
};

// The factors of one dimension, from major to minor: indices in Factors::all. More than one if a reshape merges dimensions; none if the
// size is 1.
using DimFactors = std::vector<int>;

// The axes along which each factor is split.
using FactorAxes = std::vector<Sharding::Axes>;

// A dimension of an operand of which a shard of the results needs more than its own shard: elements of the shards before and after it, to
// which windows reach. They are put before and after the operand's shard.
struct Halo {
  int operand, dim, factor;
  std::int64_t before = 0, after = 0;  // numbers of elements
  // The operand, of rank 0, that stands for elements before the first shard and after the last one; -1 for zeros.
  int beyond = -1;
};

struct Factors {
  std::vector<Factor> all;
  std::vector<std::vector<DimFactors>> operands, results;
  // One for each number in the attributes' sizes (AttributeSchema::sizes), if there are any: the factor whose size the number is, or -1.
  std::vector<int> attribute_sizes;
  std::vector<Halo> halos;

  // Adds a factor and returns its index; the caller gives it to dimensions of operands and results.
  int add(Dim size, Factor::Kind kind = Factor::Kind::pass, Reduction reduction = Reduction::sum) {
    all.push_back({size, kind, reduction});
    return static_cast<int>(all.size()) - 1;
  }

  // Returns whether operands and results have shardings if the factors are split along these axes. They have none if a minor factor of a
  // dimension is split, but the major one not completely.
  bool can_split(const Mesh& mesh, const FactorAxes& axes) const;
  // Return the sharding of an operand or a result if the factors are split along these axes; nullopt if it has none.
  std::optional<Sharding> operand_sharding(int operand, const Node& node, const Mesh& mesh,
                                           const FactorAxes& axes) const;
  std::optional<Sharding> result_sharding(int result, const Mesh& mesh, const FactorAxes& axes) const;

  // Returns the axes along which the factors are split if a result is sharded like this; nullopt if no axes give this sharding.
  std::optional<FactorAxes> axes_of_result(int result, const Sharding& sharding) const;

  friend std::ostream& operator<<(std::ostream& out, const Factors& factors);  // ab,bc->ac (b sum)
};

// Returns whether a tensor with these dimensions has the factor.
bool has_factor(std::span<const DimFactors> dims, int factor);

// Returns the factors of a node. A dimension that the op's rule does not mention, and whose size is not 1, gets a factor that is whole.
Factors factors_of(const Node& node);

}  // namespace weft::ir
