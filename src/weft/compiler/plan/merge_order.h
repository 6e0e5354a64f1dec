// Which nodes of a program may become one without having to wait for themselves.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace weft::compiler {

// Units, each of one node at first, in an order in which every unit comes after those whose values it uses. Merging two keeps it so
// by moving the fewer of what comes between them (after Pearce and Kelly 2006, A dynamic topological sort algorithm): whether a
// merge would close a circle is then a search among those between the two alone.
class MergeOrder {
 public:
  using Edges = std::vector<std::vector<std::uint32_t>>;  // of each node: others

  // needs[i]: nodes below i; users: the same edges from their other end. Both must live as long.
  MergeOrder(const Edges& needs, const Edges& users);

  // Whether a value leaves the producer's unit, passes through another and comes into the consumer's: they cannot be one. Given
  // by a node each; the consumer uses a value of the producer.
  bool path_around(std::uint32_t producer, std::uint32_t consumer);
  // Makes one of two between which path_around() was asked last, and was not.
  void merge(std::uint32_t producer, std::uint32_t consumer);

 private:
  using Position = std::int64_t;

  // A search from one of the two units, down along uses or up along needs, among the units that lie between them.
  struct Search {
    bool down = false;
    const Edges* edges = nullptr;
    std::uint32_t target = 0;
    std::vector<std::span<const std::uint32_t>> left = {};  // of the edges of what was reached
    std::size_t own = 0;                                    // of these, those of the unit it begins at
    std::vector<std::uint32_t> reached = {};                // units
    std::vector<std::uint32_t> seen = {};                   // by unit: the number of the last search that came by
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
  std::uint32_t search_ = 0;  // the number of the last one
};

}  // namespace weft::compiler
