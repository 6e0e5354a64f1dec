// The specialisations of a function: finds the one that fits a call, and removes some when there are too many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include <weft/jit/specialization.h>

namespace weft::jit {

// Specialisations are found by the signature of the arguments, in constant time. They are small, so far more of them
// are kept than programs. The least recently used are removed first. Not thread-safe.
class Specializations {
 public:
  // Returns the specialisation whose guards hold and marks it as the most recently used; null if there is none.
  std::shared_ptr<Specialization> find(std::span<const Leaf> leaves, const Context& now);

  // Adds a specialisation and removes those that it replaces.
  void insert(std::shared_ptr<Specialization> made);

  // Forgets the least recently used program among the counted ones, with all specialisations that replay it. Returns
  // the compile time that it had cost, in milliseconds.
  double forget_a_program();

  // Returns the number of programs that were compiled, for this function or for another function that does the same. A
  // program for many sizes counts once; programs compiled ahead for buckets do not count.
  std::size_t programs() const { return counted_.size(); }
  bool runs(const record::Plan& plan) const;  // whether it is one of these programs, or part of a cut one
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const std::shared_ptr<Specialization>& last_used() const { return entries_.front().made; }
  // Returns at most `how_many` specialisations, the most recently used first.
  std::vector<std::shared_ptr<const Specialization>> recent(std::size_t how_many) const;

 private:
  struct Entry {
    std::shared_ptr<Specialization> made;
    std::uint64_t signature;  // of the arguments
    std::uint64_t kind;       // hash of the specialisations that differ only in values and replay the same program
    std::uint64_t bytes;      // without those of the program
    std::uint64_t used;       // time of the last use, in uses counted so far
  };
  using Entries = std::list<Entry>;
  using Group = std::vector<Entries::iterator>;
  struct Program {
    std::uint64_t specializations = 0, bytes = 0;
  };
  void erase(Entries::iterator entry);
  // Removes a specialisation that `made` replaces.
  void replace(Entries::iterator known, Specialization& made);

  Entries entries_;                                        // the most recently used first
  std::unordered_map<std::uint64_t, Group> by_signature_;  // in each group, the most recently used first
  std::unordered_map<std::uint64_t, Group> by_kind_;
  std::unordered_map<const void*, Program> programs_;     // by plan; each size has one
  std::unordered_map<const void*, std::size_t> counted_;  // number of specialisations by compilation
  std::uint64_t bytes_ = 0, uses_ = 0;
};

}  // namespace weft::jit
