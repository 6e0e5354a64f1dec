// With which sizes a function is recorded, beside those that it is called with.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <weft/base/log.h>
#include <weft/jit/function.h>
#include <weft/tensor/size_families.h>

namespace weft::jit {

void Function::with_sample(std::span<const Leaf> leaves, std::span<const std::string> paths, std::vector<Type> types,
                           const std::function<void(Trace&)>& use) const {
  Trace::Options options{.function = options_.name, .types = std::move(types)};
  while (true) {
    Trace trace(options, leaves, {paths.begin(), paths.end()});
    try {
      return use(trace);
    } catch (const AliasesDoNotMatter&) {
      options.ignores_aliases = true;
    }
  }
}

bool Function::record_sample(std::span<const Leaf> leaves, std::span<const std::string> paths, std::vector<Type> types,
                             bool keep, const std::function<std::vector<Tensor>()>& run, std::string& why_not) {
  try {
    with_sample(leaves, paths, std::move(types), [&](Trace& trace) {
      trace.record_sample(run, keep);
      if (const std::string& why = trace.sample_ended_by(); keep && !why.empty())
        WEFT_LOG(
            recompiles, options_.name, ": ", why,
            ": of what comes after, the second size makes a program for all, for what it does may depend on the value");
    });
    return true;
  } catch (const Error& error) {
    why_not = error.what();
  }
  return false;
}

// With Dynamic::on: those that the function works for other values of, alone or with others that follow from them.
std::vector<LinkedSizes> Function::free_sizes(std::span<const Leaf> leaves, std::span<const std::string> paths,
                                              std::span<const ChangingSize> sizes,
                                              const std::function<std::vector<Tensor>()>& run) {
  std::vector<LinkedSizes> free;
  std::string why_not;
  const auto works = [&](std::span<const ChangingSize> of, const LinkedSizes& group) {
    return record_sample(leaves, paths, other_types(types_of(leaves), of, {&group, 1}), false, run, why_not);
  };
  std::vector<ChangingSize> rest;
  std::vector<std::size_t> rest_at;
  std::vector<std::string> rest_because;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const LinkedSizes alone{{i, 1}};
    if (works(sizes, alone)) {
      free.push_back(alone);
    } else {
      rest.push_back(sizes[i]);
      rest_at.push_back(i);
      rest_because.push_back(why_not);
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
    if (!is_free[i]) WEFT_LOG(recompiles, options_.name, ": a size is fixed: ", rest_because[i]);
  return free;
}

bool Function::may_learn_sizes() const {
  const std::lock_guard lock(mutex_);
  if (options_.dynamic == Dynamic::off) return false;
  return sizes_.any_dynamic() || options_.dynamic == Dynamic::on;
}

std::string Function::learn_declared(std::span<const Leaf> leaves, std::span<const std::string> paths,
                                     std::span<const Type> types, const std::function<std::vector<Tensor>()>& run) {
  std::vector<ChangingSize> sizes;
  {
    const std::lock_guard lock(mutex_);
    sizes = sizes_.changing(leaves, paths, options_.name);
  }
  if (sizes.empty()) return {};
  std::string first;
  for (const std::vector<LinkedSizes>& links : links_among(sizes)) {
    const std::vector<Type> others = other_types(types, sizes, links);
    std::string why_not;
    if (others.empty()) continue;
    if (record_sample(leaves, paths, others, true, run, why_not)) {
      keep_samples_of_ones(leaves, paths, types, sizes, links, run);
      return {};
    }
    if (!first.empty()) continue;
    for (std::size_t i = 0; i < types.size(); ++i)
      if (others[i] != types[i]) first += concat(first.empty() ? "" : ", ", "argument ", paths[i], " as ", others[i]);
    first += ": " + why_not;
  }
  return first;
}

void Function::learn_sizes(std::span<const Leaf> leaves, std::span<const std::string> paths,
                           const std::function<std::vector<Tensor>()>& run) {
  const std::vector<Type> types = types_of(leaves);
  std::string declared;
  {
    const std::lock_guard lock(mutex_);
    if (sizes_.any_dynamic()) declared = sizes_.text();
  }
  if (!declared.empty()) {
    if (const std::string why_not = learn_declared(leaves, paths, types, run); !why_not.empty())
      throw ConstraintViolationError(
          concat(options_.name, ": ", declared, ", but the function does not work with ", why_not));
    return;
  }
  const std::vector<ChangingSize> sizes = all_sizes(leaves);
  std::string why_not;
  if (const auto free = free_sizes(leaves, paths, sizes, run); !free.empty()) {
    record_sample(leaves, paths, other_types(types, sizes, free), true, run, why_not);
    keep_samples_of_ones(leaves, paths, types, sizes, free, run);
  }
}

void Function::keep_samples_of_ones(std::span<const Leaf> leaves, std::span<const std::string> paths,
                                    std::span<const Type> types, std::span<const ChangingSize> sizes,
                                    std::span<const LinkedSizes> links,
                                    const std::function<std::vector<Tensor>()>& run) {
  const auto has_one = [&](const LinkedSizes& group) {
    return std::ranges::any_of(group, [&](const LinkedSize& linked) { return sizes[linked.size].now == 1; });
  };
  for (const LinkedSizes& kept : links) {
    if (!has_one(kept)) continue;
    std::vector<LinkedSizes> others;
    std::ranges::copy_if(links, std::back_inserter(others), [&](const LinkedSizes& group) { return &group != &kept; });
    const std::vector<Type> sample = others.empty() ? std::vector<Type>() : other_types(types, sizes, others);
    std::string why_not;
    if (!sample.empty()) record_sample(leaves, paths, sample, true, run, why_not);
  }
}

std::vector<detail::CompileAhead::Job> Function::other_buckets(std::span<const Leaf> leaves,
                                                               std::span<const std::string> paths,
                                                               const std::function<std::vector<Tensor>()>& run) {
  std::vector<std::vector<Type>> others;
  {
    const std::lock_guard lock(mutex_);
    if (!sizes_.any_buckets() || std::exchange(buckets_recorded_, true)) return {};
    others = sizes_.other_buckets(leaves, paths, static_cast<std::size_t>(options_.recompile_limit) - 1);
  }
  const bool learns = may_learn_sizes();
  std::vector<detail::CompileAhead::Job> jobs;
  for (std::vector<Type>& types : others) {
    std::unique_lock lock(mutex_);
    const std::uint64_t buckets = sizes_.buckets_of(types, leaves, paths);
    lock.unlock();
    const detail::SymbolicSizesScope apart(detail::sizes_are_symbols(), detail::sizes_are_sampled(), buckets);
    if (learns) learn_declared(leaves, paths, types, run);  // without it, it is compiled for these sizes
    try {
      with_sample(leaves, paths, std::move(types), [&](Trace& trace) {
        if (auto job = trace.record_job(run)) jobs.push_back(std::move(*job));
      });
    } catch (const Error& error) {
      // The call that is of this bucket says so itself, and with elements it may work.
      WEFT_LOG(recompiles, options_.name, ": a bucket cannot be compiled ahead: ", error.what());
    }
  }
  return jobs;
}

}  // namespace weft::jit
