#include <weft/jit/specializations.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include <weft/base/hash.h>

namespace weft::jit {

namespace {

// The maximum number of all specialisations, and of those that differ only in values or not at all in the arguments.
// The second limit bounds the memory for a number that is different in every call, and the time of the linear search
// among specialisations with the same arguments.
constexpr std::size_t most = 1024, most_alike = 64;
// The maximum size of all specialisations with their programs; `always_kept` specialisations are kept even if they are
// larger.
constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
constexpr std::size_t always_kept = 32;

std::uint64_t signature_of(std::span<const Leaf> leaves, bool with_values) {
  std::uint64_t hash = leaves.size();
  for (const Leaf& leaf : leaves) {
    hash = mix(hash, static_cast<std::uint64_t>(leaf.kind) << 1 | std::uint64_t{bool(leaf.type)});
    if (leaf.type) hash = mix(hash, leaf.type.hash());
    if (leaf.layout) hash = mix(hash, leaf.layout.number());
    if (with_values || leaf.kind != Leaf::Kind::value) hash = mix(hash, leaf.bits);
  }
  return hash;
}

// Specialisations that are recorded in every call have no program to replay.
std::uint64_t kind_of(const Specialization& s) {
  const void* const program = s.rerecorded_because.empty() ? s.plan.get() : nullptr;
  return mix(signature_of(s.arguments, false), reinterpret_cast<std::uintptr_t>(program));
}

bool same_guards(const Specialization& a, const Specialization& b) {
  const auto same_value = [](const ValueGuard& x, const ValueGuard& y) {
    // A Scalar among the arguments lives only as long as the call.
    return x.leaf == y.leaf && x.bits == y.bits && (x.leaf >= 0 || x.value == y.value);
  };
  const auto same_parameter = [](const ParameterGuard& x, const ParameterGuard& y) {
    return x.parameter == y.parameter && x.type == y.type && x.layout == y.layout;
  };
  return a.context == b.context && a.same == b.same && a.aliases == b.aliases &&
         std::ranges::equal(a.values, b.values, same_value) &&
         std::ranges::equal(a.parameters, b.parameters, same_parameter) &&
         std::ranges::equal(a.arguments, b.arguments, [](const Leaf& x, const Leaf& y) { return x.same_signature(y); });
}

template <class T>
std::uint64_t bytes_of(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}

std::uint64_t bytes_of(const Specialization& s) {
  return sizeof s + bytes_of(s.arguments) + bytes_of(s.values) + bytes_of(s.parameters) + bytes_of(s.inputs) +
         bytes_of(s.immediates) + bytes_of(s.numbers) + bytes_of(s.updates) + bytes_of(s.results) + bytes_of(s.paths) +
         bytes_of(s.first_uses);
}

// Returns the bytes that only this plan keeps, including the blocks of its results if these stay with the program.
std::uint64_t kept_by(const record::Plan& plan) {
  std::uint64_t bytes = record::bytes_of(plan);
  if (plan.executable->kept_blocks)
    for (std::size_t i = 0; i < plan.executable->outputs.size(); ++i)
      if (plan.executable->outputs[i].donated_input < 0) bytes += plan.executable->output_bytes(i);
  return bytes;
}

// A specialisation whose last graph was cut, with nothing after the cut, has no plan to share.
const void* plan_of(const Specialization& s) { return s.plan ? static_cast<const void*>(s.plan.get()) : &s; }

// Identifies the compilation of a plan, which is the same for all sizes of one program.
const void* compilation_of(const record::Plan& plan) {
  return plan.report ? static_cast<const void*>(plan.report.get()) : &plan;
}
const void* compilation_of(const Specialization& s) { return s.plan ? compilation_of(*s.plan) : &s; }

bool counts(const Specialization& s) { return s.compiled || (s.plan && !s.is_of_bucket); }

}  // namespace

std::shared_ptr<Specialization> Specializations::find(std::span<const Leaf> leaves, const Context& now) {
  // Fast path: most calls are like the last one.
  if (!entries_.empty() && entries_.front().made->holds(leaves, now)) return entries_.front().made;
  const auto group = by_signature_.find(signature_of(leaves, true));
  if (group == by_signature_.end()) return nullptr;
  const auto found = std::ranges::find_if(group->second, [&](const auto& e) { return e->made->holds(leaves, now); });
  if (found == group->second.end()) return nullptr;
  std::rotate(group->second.begin(), found, found + 1);
  const Entries::iterator entry = group->second.front();
  entries_.splice(entries_.begin(), entries_, entry);
  entry->used = ++uses_;
  return entry->made;
}

void Specializations::insert(std::shared_ptr<Specialization> made) {
  const std::uint64_t signature = signature_of(made->arguments, true), kind = kind_of(*made);
  if (!made->rerecorded_because.empty())
    for (const auto known : Group(by_kind_[kind])) replace(known, *made);
  for (const auto known : Group(by_signature_[signature]))
    if (!known->made->is_alive() || same_guards(*known->made, *made)) replace(known, *made);
  if (const Group& alike = by_signature_[signature]; alike.size() >= most_alike) erase(alike.back());
  if (const Group& alike = by_kind_[kind]; alike.size() >= most_alike)
    erase(*std::ranges::min_element(alike, {}, [](const auto& e) { return e->used; }));

  Program& program = programs_[plan_of(*made)];
  if (program.specializations++ == 0 && made->plan) bytes_ += program.bytes = kept_by(*made->plan);
  if (counts(*made)) ++counted_[compilation_of(*made)];
  const std::uint64_t bytes = bytes_of(*made);
  bytes_ += bytes;
  entries_.push_front({std::move(made), signature, kind, bytes, ++uses_});
  Group& alike = by_signature_[signature];
  alike.insert(alike.begin(), entries_.begin());
  by_kind_[kind].push_back(entries_.begin());
  while (entries_.size() > most || (entries_.size() > always_kept && bytes_ > most_bytes))
    erase(std::prev(entries_.end()));
}

void Specializations::replace(Entries::iterator known, Specialization& made) {
  if (known->kind == kind_of(made)) {
    made.compiled |= known->made->compiled;
    made.compile_ms += known->made->compile_ms;
  }
  erase(known);
}

void Specializations::erase(Entries::iterator entry) {
  const auto leave = [&](auto& groups, std::uint64_t key) {
    const auto group = groups.find(key);
    std::erase(group->second, entry);
    if (group->second.empty()) groups.erase(group);
  };
  leave(by_signature_, entry->signature);
  leave(by_kind_, entry->kind);
  bytes_ -= entry->bytes;
  const auto program = programs_.find(plan_of(*entry->made));
  if (--program->second.specializations == 0) {
    bytes_ -= program->second.bytes;
    programs_.erase(program);
  }
  if (const auto counted = counted_.find(compilation_of(*entry->made)); counts(*entry->made) && --counted->second == 0)
    counted_.erase(counted);
  entries_.erase(entry);
}

bool Specializations::runs(const record::Plan& plan) const {
  const void* const compilation = compilation_of(plan);
  return counted_.contains(compilation) || std::ranges::any_of(entries_, [&](const Entry& entry) {
           return std::ranges::any_of(entry.made->before, [&](const Specialization::Part& part) {
             return part.plan && compilation_of(*part.plan) == compilation;
           });
         });
}

double Specializations::forget_a_program() {
  const void* oldest = nullptr;
  std::unordered_set<const void*> seen;
  for (const Entry& entry : entries_) {
    const void* const program = compilation_of(*entry.made);
    if (seen.insert(program).second && counted_.contains(program)) oldest = program;
  }
  double cost_ms = 0;
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto entry = next++;
    if (compilation_of(*entry->made) != oldest) continue;
    cost_ms += entry->made->compile_ms;
    erase(entry);
  }
  return cost_ms;
}

std::vector<std::shared_ptr<const Specialization>> Specializations::recent(std::size_t how_many) const {
  std::vector<std::shared_ptr<const Specialization>> all;
  for (const Entry& entry : entries_) {
    if (all.size() == how_many) break;
    all.push_back(entry.made);
  }
  return all;
}

}  // namespace weft::jit
