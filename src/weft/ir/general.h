// General graphs. A general graph stands for many graphs that differ only in sizes; its dims are expressions of size_symbol(0),
// size_symbol(1)... It is inferred from a few samples, so an expression may be wrong for further graphs. Therefore match() always
// checks, node by node, whether the general graph equals a given graph at certain sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/base/hash.h>
#include <weft/base/size.h>
#include <weft/base/status.h>
#include <weft/ir/graph.h>

namespace weft::ir {

// Returns a fingerprint that is equal for graphs that differ only in sizes (including sizes in attributes), constants, and
// same-rank broadcasts (align_broadcasts.h).
Fingerprint fingerprint_without_sizes(const Graph& graph, std::span<const Value> outputs);

struct General {
  // Says where a symbol's value is read: a size of a node's result (usually of an input), or a number of the node's attributes.
  struct Symbol {
    std::uint32_t node = 0, result = 0;
    std::int32_t dim = 0;  // or the position of the number in the attributes
    bool is_attribute = false;
  };
  // A one-element constant whose value differs between samples. It is a node of the samples or of one of their regions. In
  // `graph` it is an extra input after the inputs of the samples.
  struct Constant {
    // from the outermost node inwards: a node and the index of its region
    std::vector<std::pair<std::uint32_t, std::uint32_t>> path;
    std::uint32_t node = 0;
    DType dtype = {};
  };
  // The pattern that graphs are compared with: the nodes of a sample, with these types.
  struct Form {
    const Graph* sample = nullptr;
    std::vector<Type> types;                          // of all results of all nodes, in order
    std::vector<std::uint32_t> constants;             // nodes of the sample that are inputs of `graph`
    std::map<std::uint32_t, const void*> attributes;  // by node id: attributes of `graph` whose sizes vary
    std::map<std::pair<std::uint32_t, std::size_t>, Form> regions;  // by node id and region index: regions that vary
  };

  std::shared_ptr<const Graph> graph;
  std::vector<Symbol> symbols;
  std::vector<Constant> constants;
  Form form;
  std::shared_ptr<const Graph> sample;  // keeps the sample of `form` alive
};

// Builds the general graph of two or more graphs of the same structure. The symbols are the input sizes that differ between
// samples, and the sizes that the host supplied. Sizes that are equal or proportional in all samples share a symbol; so do sizes
// with the same difference in all samples, if the ops require it. Throws Error that names the op, its place and what differs.
General generalise(std::span<const std::shared_ptr<const Graph>> samples);

// A relation between two input sizes: size = factor * of + more.
struct SizeRelation {
  struct Place {
    std::size_t input = 0;
    int dim = 0;
  };
  Place size, of;
  std::int64_t factor = 1, more = 0;

  // Returns, for example, "dimension 0 of input 1 was dimension 0 of input 0 + 1".
  std::string text(const std::function<std::string(std::size_t)>& name_of_input) const;
};
// Returns the relations that hold in all samples of `general` but not in `graph`, which has the same structure.
std::vector<SizeRelation> broken_relations(const General& general, const Graph& graph);

struct Match {
  std::vector<std::int64_t> symbols;
  std::vector<std::span<const std::byte>> constants;  // the elements, which are owned by the graph
};
// Returns the values for which `general` equals `graph` with these outputs. Fails, saying where they differ, if there are none.
Result<Match> match(const General& general, const Graph& graph, std::span<const Value> outputs);

}  // namespace weft::ir
