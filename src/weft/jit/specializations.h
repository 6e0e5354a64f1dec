// The specialisations of a function: which of them fits a call, and which leave when there are too many.
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

// They are found by the signature of the arguments, in a time that does not depend on how many there are, and are small: far more of
// them are kept than programs are compiled. The least recently used leave first. Not thread-safe.
class Specializations {
 public:
  // The one whose guards hold, used last from now on; null: none.
  std::shared_ptr<Specialization> find(std::span<const Leaf> leaves, const Context& now);

  // In place of those that it makes superfluous.
  void insert(std::shared_ptr<Specialization> made);

  // Forgets the program that has not been used for the longest time, of those that count, with all that replays it.
  // Returns what it cost to compile.
  double forget_a_program();

  // How many were made, for this function or for another one that does the same. One for many sizes is one; those that were made
  // ahead for buckets do not count.
  std::size_t programs() const { return counted_.size(); }
  bool runs(const record::Plan& plan) const;  // whether it is one of them, or part of one that is cut
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const std::shared_ptr<Specialization>& last_used() const { return entries_.front().made; }
  // At most so many, the last used first.
  std::vector<std::shared_ptr<const Specialization>> recent(std::size_t how_many) const;

 private:
  struct Entry {
    std::shared_ptr<Specialization> made;
    std::uint64_t signature;  // of the arguments
    std::uint64_t kind;       // of all that differ from it in values alone, and replay its program
    std::uint64_t bytes;      // beside the program's
    std::uint64_t used;       // when it was last: a count of uses
  };
  using Entries = std::list<Entry>;
  using Group = std::vector<Entries::iterator>;
  struct Program {
    std::uint64_t specializations = 0, bytes = 0;
  };
  void erase(Entries::iterator entry);
  // Removes one that `made` stands for from now on.
  void replace(Entries::iterator known, Specialization& made);

  Entries entries_;                                        // the last used first
  std::unordered_map<std::uint64_t, Group> by_signature_;  // each with the last used first
  std::unordered_map<std::uint64_t, Group> by_kind_;
  std::unordered_map<const void*, Program> programs_;     // by plan: one for each size
  std::unordered_map<const void*, std::size_t> counted_;  // specialisations, by what was compiled
  std::uint64_t bytes_ = 0, uses_ = 0;
};

}  // namespace weft::jit
