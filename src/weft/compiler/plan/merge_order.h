// Decides which nodes of a program may be merged without creating a cycle.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace weft::compiler {

// An order of units, each of one node at first, in which every unit comes after those whose values it uses. Merging two units maintains the
// order by moving only units between them, on the side where fewer have to move (after Pearce and Kelly 2006, A dynamic topological sort
// algorithm). Whether a merge would create a cycle is therefore a search only among the units between the two.
class MergeOrder {
 public:
  using Edges = std::vector<std::vector<std::uint32_t>>;  // by node: the nodes at the other ends

  // needs[i] lists nodes below i; users has the same edges reversed. Both must outlive this object.
  MergeOrder(const Edges& needs, const Edges& users);

  // Returns whether a path leads from the producer's unit through a third unit to the consumer's, so that the two cannot be merged. Each
  // unit is given by one of its nodes; the consumer uses a value of the producer.
  bool path_around(std::uint32_t producer, std::uint32_t consumer);
  // Merges the two units of the last call of path_around(), which must have returned false.
  void merge(std::uint32_t producer, std::uint32_t consumer);

 private:
  using Position = std::int64_t;

  // A search from one of the two units, down along uses or up along needs, among the units between them.
  struct Search {
    bool down = false;
    const Edges* edges = nullptr;
    std::uint32_t target = 0;
    std::vector<std::span<const std::uint32_t>> left = {};  // edges of reached units that are still to be followed
    std::size_t own = 0;                                    // how many of `left` belong to the first unit
    std::vector<std::uint32_t> reached = {};                // units
    std::vector<std::uint32_t> seen = {};                   // by unit: the number of the last search that reached it
  };

  void begin(Search& search, std::uint32_t from, std::uint32_t target);
  void reach(Search& search, std::uint32_t unit);
  bool step(Search& search, const Search& other);
  void move(std::vector<std::uint32_t> units, bool behind, std::uint32_t unit);
  void renumber();

  std::vector<std::uint32_t> unit_of_;             // by node
  std::vector<std::vector<std::uint32_t>> nodes_;  // by unit
  std::vector<Position> position_;                 // by unit
  std::map<Position, std::uint32_t> in_order_;     // units
  Search down_, up_;
  std::uint32_t search_ = 0;  // the number of the last search
};

}  // namespace weft::compiler
