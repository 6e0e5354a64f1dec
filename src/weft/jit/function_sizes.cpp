// Chooses the sizes with which a function is recorded, in addition to those of its calls.
#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include <weft/base/log.h>
#include <weft/jit/caught_refusal.h>
#include <weft/jit/function.h>
#include <weft/record/size_families.h>

namespace weft::jit {

void Function::with_sample(const SampledCall& call, std::vector<Type> types,
                           const std::function<bool(Trace&)>& use) const {
  Trace::Options options{.function = options_.name, .types = std::move(types), .ignores_aliases = call.ignores_aliases};
  while (true) {
    Trace trace(options, call.leaves, call.paths);
    if (use(trace)) return;
    options.ignores_aliases = true;
  }
}

Status Function::record_sample(const SampledCall& call, std::vector<Type> types, bool keep) {
  try {
    with_sample(call, std::move(types), [&](Trace& trace) { return trace.record_sample(call.run, keep); });
    return {};
  } catch (const CaughtRefusal& refusal) {
    WEFT_LOG(recompiles, options_.name, ": other sizes are not tried: ", refusal.what());
    return Status::failed("");
  } catch (const Error& error) {
    return Status::failed(error.what());
  }
}

// For Dynamic::on: returns the sizes for which the function also works with other values, alone or linked to other
// sizes.
std::vector<LinkedSizes> Function::free_sizes(const SampledCall& call, std::span<const ChangingSize> sizes) {
  std::vector<LinkedSizes> free;
  const auto works = [&](std::span<const ChangingSize> of, const LinkedSizes& group) {
    return record_sample(call, other_types(types_of(call.leaves), of, {&group, 1}), false);
  };
  std::vector<ChangingSize> rest;
  std::vector<std::size_t> rest_at;
  std::vector<std::string> rest_because;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const LinkedSizes single{{i, 1}};
    if (const Status status = works(sizes, single)) {
      free.push_back(single);
    } else {
      rest.push_back(sizes[i]);
      rest_at.push_back(i);
      rest_because.push_back(status.reason());
    }
  }
  std::set<LinkedSizes> tried;
  std::vector<bool> is_free(rest.size());
  for (const std::vector<LinkedSizes>& links : links_among(rest))
    for (const LinkedSizes& group : links) {
      const auto is_known = [&](const LinkedSize& linked) { return is_free[linked.size]; };
      if (group.size() == 1 || std::ranges::any_of(group, is_known) || !tried.insert(group).second) continue;
      if (!works(rest, group)) continue;
      LinkedSizes& made = free.emplace_back(group);
      for (LinkedSize& linked : made) {
        is_free[linked.size] = true;
        linked.size = rest_at[linked.size];
      }
    }
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (!is_free[i] && !rest_because[i].empty())
      WEFT_LOG(recompiles, options_.name, ": a size is fixed: ", rest_because[i]);
  return free;
}

bool Function::may_learn_sizes() const {
  const std::lock_guard lock(mutex_);
  if (options_.dynamic == Dynamic::off || options_.mesh) return false;
  return sizes_.any_dynamic() || options_.dynamic == Dynamic::on;
}

Status Function::learn_declared(const SampledCall& call, std::span<const Type> types) {
  std::vector<ChangingSize> sizes;
  {
    const std::lock_guard lock(mutex_);
    sizes = sizes_.changing(call.leaves, call.paths, options_.name);
  }
  if (sizes.empty()) return {};
  std::string first;
  bool is_caught = false;
  for (const std::vector<LinkedSizes>& links : links_among(sizes)) {
    const std::vector<Type> others = other_types(types, sizes, links);
    if (others.empty()) continue;
    const Status status = record_sample(call, others, true);
    if (status) {
      keep_samples_of_ones(call, types, sizes, links);
      return {};
    }
    is_caught |= status.reason().empty();
    if (!first.empty()) continue;
    for (std::size_t i = 0; i < types.size(); ++i)
      if (others[i] != types[i])
        first += concat(first.empty() ? "" : ", ", "argument ", call.paths[i], " as ", others[i]);
    first += ": " + status.reason();
  }
  if (is_caught || first.empty()) return {};  // caught: the function itself handles sizes that do not work
  return Status::failed(first);
}

void Function::learn_sizes(const SampledCall& call) {
  const std::vector<Type> types = types_of(call.leaves);
  std::string declared;
  {
    const std::lock_guard lock(mutex_);
    if (sizes_.any_dynamic()) declared = sizes_.text();
  }
  if (!declared.empty()) {
    if (const Status status = learn_declared(call, types); !status)
      throw ConstraintViolationError(
          concat(options_.name, ": ", declared, ", but the function does not work with ", status.reason()));
    return;
  }
  const std::vector<ChangingSize> sizes = all_sizes(call.leaves);
  if (const auto free = free_sizes(call, sizes); !free.empty()) {
    std::ignore = record_sample(call, other_types(types, sizes, free), true);
    keep_samples_of_ones(call, types, sizes, free);
  }
}

void Function::keep_samples_of_ones(const SampledCall& call, std::span<const Type> types,
                                    std::span<const ChangingSize> sizes, std::span<const LinkedSizes> links) {
  const auto has_one = [&](const LinkedSizes& group) {
    return std::ranges::any_of(group, [&](const LinkedSize& linked) { return sizes[linked.size].now == 1; });
  };
  for (const LinkedSizes& kept : links) {
    if (!has_one(kept)) continue;
    std::vector<LinkedSizes> others;
    std::ranges::copy_if(links, std::back_inserter(others), [&](const LinkedSizes& group) { return &group != &kept; });
    const std::vector<Type> sample = others.empty() ? std::vector<Type>() : other_types(types, sizes, others);
    if (!sample.empty()) std::ignore = record_sample(call, sample, true);
  }
}

std::vector<record::CompileAhead::Job> Function::other_buckets(const SampledCall& call) {
  std::vector<std::vector<Type>> others;
  {
    const std::lock_guard lock(mutex_);
    if (!sizes_.any_buckets() || std::exchange(buckets_recorded_, true)) return {};
    others = sizes_.other_buckets(call.leaves, call.paths, static_cast<std::size_t>(options_.recompile_limit) - 1);
  }
  const bool learns = may_learn_sizes();
  std::vector<record::CompileAhead::Job> jobs;
  for (std::vector<Type>& types : others) {
    std::unique_lock lock(mutex_);
    const std::uint64_t buckets = sizes_.buckets_of(types, call.leaves, call.paths);
    lock.unlock();
    const record::SymbolicSizesScope apart(record::sizes_are_symbols(), record::sizes_are_sampled(), buckets);
    if (learns) std::ignore = learn_declared(call, types);  // on failure, the job is compiled for these sizes only
    try {
      std::optional<record::CompileAhead::Job> job;
      with_sample(call, std::move(types), [&](Trace& trace) { return trace.record_job(call.run, job); });
      if (job) jobs.push_back(std::move(*job));
    } catch (const Error& error) {
      // The call that needs this bucket will report the error itself; with elements it may even succeed.
      WEFT_LOG(recompiles, options_.name, ": a bucket cannot be compiled ahead: ", error.what());
    }
  }
  return jobs;
}

}  // namespace weft::jit
