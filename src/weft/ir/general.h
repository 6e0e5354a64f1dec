// Graphs that differ only in sizes, and the one graph that stands for all of them: its dims are expressions of size_symbol(0),
// size_symbol(1)... Made from a few samples, so an expression may be wrong for further ones; whether the general graph is a given
// graph at certain sizes is therefore always checked, node by node.
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
#include <weft/ir/graph.h>

namespace weft::ir {

// Equal for graphs that differ at most in sizes, those in attributes among them, constants, and same-rank broadcasts
// (align_broadcasts.h).
Fingerprint fingerprint_without_sizes(const Graph& graph, std::span<const Value> outputs);

struct General {
  // Where a symbol's value is read: a size of a node's result, as a rule of an input, or a number of its attributes.
  struct Symbol {
    std::uint32_t node = 0, result = 0;
    std::int32_t dim = 0;  // or the number's place
    bool is_attribute = false;
  };
  // A constant of one element that is another one in each sample: the node, of the samples or of a region of theirs. It is an input
  // of `graph`, behind those of the samples.
  struct Constant {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> path;  // from outside in: a node, and which of its regions
    std::uint32_t node = 0;
    DType dtype = {};
  };
  // What graphs are compared with: the nodes of a sample, with these types.
  struct Form {
    const Graph* sample = nullptr;
    std::vector<Type> types;                                        // of all results of all nodes, in order
    std::vector<std::uint32_t> constants;                           // nodes of the sample that are inputs of `graph`
    std::map<std::uint32_t, const void*> attributes;                // by node: those with sizes that change, of `graph`
    std::map<std::pair<std::uint32_t, std::size_t>, Form> regions;  // by node and number: those that change
  };

  std::shared_ptr<const Graph> graph;
  std::vector<Symbol> symbols;
  std::vector<Constant> constants;
  Form form;
  std::shared_ptr<const Graph> sample;  // of `form`
};

// Of two or more graphs of one structure. Symbols are the sizes of inputs that differ from sample to sample, and sizes that the host
// gave; those that are equal or proportional in all samples are one, and so are those that are as far apart in all samples, where the
// ops ask for it. Throws Error that names the op, its place and what differs.
General generalise(std::span<const std::shared_ptr<const Graph>> samples);

// A size of an input: so many times another one's, and so much more.
struct SizeRelation {
  struct Place {
    std::size_t input = 0;
    int dim = 0;
  };
  Place size, of;
  std::int64_t factor = 1, more = 0;

  // dimension 0 of input 1 was dimension 0 of input 0 + 1
  std::string text(const std::function<std::string(std::size_t)>& name_of_input) const;
};
// Those that all samples of `general` have, and the graph, of the same structure, has not.
std::vector<SizeRelation> broken_relations(const General& general, const Graph& graph);

struct Match {
  std::vector<std::int64_t> symbols;
  std::vector<std::span<const std::byte>> constants;  // elements, of the graph
};
// The values for which `general` is `graph`, with these outputs. Empty: it is not, and `difference` says where.
std::optional<Match> match(const General& general, const Graph& graph, std::span<const Value> outputs,
                           std::string& difference);

}  // namespace weft::ir
