#include <weft/profile/memory.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace weft::profile {

std::vector<Lifetime> lifetimes(const Program& program) {
  std::vector<Lifetime> lives(program.allocations.size());
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const auto touch = [&](const runtime::Slice& slice) -> Lifetime& {
      Lifetime& life = lives[slice.allocation];
      life.first = std::min(life.first, i);
      life.last = i;
      return life;
    };
    const std::vector<runtime::Slice>& writes = program.ops[i].writes;
    for (std::size_t w = 0; w < writes.size(); ++w) {
      Lifetime& life = touch(writes[w]);
      if (life.maker != Lifetime::never) continue;
      life.maker = i;
      life.result = w;
    }
    for (const runtime::Slice& slice : program.ops[i].reads) touch(slice);
  }
  for (std::size_t a = 0; a < lives.size(); ++a) {
    const runtime::Allocation::Kind kind = program.allocations[a].kind;
    if (kind == runtime::Allocation::Kind::input || kind == runtime::Allocation::Kind::constant) lives[a].first = 0;
    if (kind != runtime::Allocation::Kind::temporary && !program.ops.empty()) lives[a].last = program.ops.size() - 1;
  }
  return lives;
}

namespace {

std::string_view name(runtime::Allocation::Kind kind) {
  switch (kind) {
    case runtime::Allocation::Kind::input: return "input";
    case runtime::Allocation::Kind::output: return "output";
    case runtime::Allocation::Kind::constant: return "constant";
    case runtime::Allocation::Kind::temporary: return "temporary";
  }
  return "";
}

}  // namespace

ProgramMemory program_memory(const Program& program) {
  ProgramMemory memory;
  if (program.ops.empty()) return memory;
  const auto lives = lifetimes(program);
  // For each op, the bytes that become alive at it minus the bytes that end before it, modulo 2^64.
  std::vector<std::uint64_t> change(program.ops.size() + 1);
  const std::set<std::uint32_t> donated(program.donated.begin(), program.donated.end());
  const auto counts = [&](std::size_t a) { return lives[a].first != Lifetime::never && !donated.contains(a); };
  for (std::size_t a = 0; a < lives.size(); ++a) {
    if (!counts(a)) continue;
    const std::uint64_t bytes = program.allocations[a].bytes;
    change[lives[a].first] += bytes;
    change[lives[a].last + 1] -= bytes;
  }
  std::uint64_t alive = 0;
  for (std::size_t i = 0; i < program.ops.size(); ++i) memory.points.push_back(alive += change[i]);
  memory.peak_at = static_cast<std::size_t>(std::ranges::max_element(memory.points) - memory.points.begin());
  memory.peak = memory.points[memory.peak_at];

  std::map<std::tuple<runtime::Allocation::Kind, std::string, std::string>, LiveValues> sums;
  for (std::size_t a = 0; a < lives.size(); ++a) {
    if (!counts(a) || lives[a].first > memory.peak_at || lives[a].last < memory.peak_at) continue;
    const runtime::Allocation::Kind kind = program.allocations[a].kind;
    const bool is_made = kind == runtime::Allocation::Kind::temporary || kind == runtime::Allocation::Kind::output;
    const runtime::ThunkInfo none,
        &maker = is_made && lives[a].maker != Lifetime::never ? program.ops[lives[a].maker].info : none;
    LiveValues& sum = sums[{kind, maker.scope, maker.source}];
    sum.kind = name(kind);
    sum.scope = maker.scope;
    sum.source = maker.source;
    sum.bytes += program.allocations[a].bytes;
    ++sum.count;
  }
  for (auto& [place, sum] : sums) memory.live.push_back(std::move(sum));
  std::ranges::stable_sort(memory.live, std::greater{}, &LiveValues::bytes);
  return memory;
}

}  // namespace weft::profile
