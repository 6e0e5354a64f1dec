#include <weft/compiler/thunks/row_occurrences.h>

#include <algorithm>
#include <bit>
#include <utility>

#include <weft/runtime/parallel.h>

namespace weft::compiler {

namespace {

constexpr std::int64_t ids_per_bucket = 1024;  // so that a bucket fits into a near cache
constexpr std::int64_t most_buckets = 4096;    // of a table
constexpr std::int64_t samples_per_chunk = 2048;

}  // namespace

template <class Real>
RowOccurrences<Real>::RowOccurrences(const LookupPlan& plan, std::span<const LookupIds> lookups,
                                     std::span<Occurrence<Real>> memory)
    : plan_(plan), lookups_(lookups), memory_(memory) {
  divide_tables();
  make_chunks();
  count();
  place();
}

template <class Real>
template <class F>
void RowOccurrences<Real>::visit(const Chunk& chunk, F&& f) const {
  const ir::LookupEntry& entry = plan_.entries[chunk.entry];
  const LookupIds& lookup = lookups_[entry.lookup];
  for (std::int64_t sample = chunk.begin; sample < chunk.end; ++sample) {
    const auto [begin, end] = lookup.bag(entry.key, sample, plan_.names);
    for (std::int64_t i = begin; i < end; ++i)
      if (const std::int64_t row = row_of(plan_, entry, sample, lookup.ids[i]); row >= 0)
        f(row, sample, i, end - begin);
  }
}

// The number of buckets of a table follows from the number of its ids. Neighbouring rows lie in different buckets, because frequent ids are
// often neighbours.
template <class Real>
void RowOccurrences<Real>::divide_tables() {
  std::vector<std::int64_t> ids(plan_.rows.size());
  for (const ir::LookupEntry& entry : plan_.entries) {
    if (const LookupIds& lookup = lookups_[entry.lookup]; lookup.batch > 0)
      ids[entry.table] += lookup.ids_of_key(entry.key);  // ends are checked later
  }
  for (std::size_t t = 0; t < ids.size(); ++t) {
    const auto wanted = std::clamp<std::int64_t>(ids[t] / ids_per_bucket, 1, most_buckets);
    const auto count = std::bit_ceil(static_cast<std::uint64_t>(wanted));
    masks_.push_back(static_cast<std::uint32_t>(count - 1));
    first_bucket_.push_back(buckets_.size());
    buckets_.resize(buckets_.size() + count, {static_cast<std::int64_t>(t)});
  }
}

template <class Real>
void RowOccurrences<Real>::make_chunks() {
  std::size_t counts = 0;
  for (std::size_t e = 0; e < plan_.entries.size(); ++e) {
    const std::int64_t batch = lookups_[plan_.entries[e].lookup].batch;
    for (std::int64_t begin = 0; begin < batch; begin += samples_per_chunk) {
      chunks_.push_back({static_cast<std::int64_t>(e), begin, std::min(batch, begin + samples_per_chunk), counts});
      counts += masks_[plan_.entries[e].table] + 1;
    }
  }
  counts_.resize(counts);
}

template <class Real>
void RowOccurrences<Real>::count() {
  runtime::parallel_for(std::ssize(chunks_), 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      std::uint32_t* const counts = counts_.data() + chunks_[c].counts;
      const std::uint32_t mask = masks_[plan_.entries[chunks_[c].entry].table];
      visit(chunks_[c], [&](std::int64_t row, auto...) { ++counts[row & mask]; });
    }
  });
  for (const Chunk& chunk : chunks_) {
    const std::int64_t table = plan_.entries[chunk.entry].table;
    for (std::uint32_t b = 0; b <= masks_[table]; ++b) {
      Range& bucket = buckets_[first_bucket_[table] + b];
      const std::uint32_t before = static_cast<std::uint32_t>(bucket.count);
      bucket.count += counts_[chunk.counts + b];
      counts_[chunk.counts + b] = before;  // from here on, its place in the bucket
    }
  }
  std::size_t all = 0;
  for (Range& bucket : buckets_) {
    bucket.begin = all;
    all += bucket.count;
  }
  require(all <= memory_.size(), "embedding: there are ", all, " rows to update, and memory for ", memory_.size(),
          ": an id is in more pieces of placed rows than the lookup says");
}

template <class Real>
void RowOccurrences<Real>::place() {
  runtime::parallel_for(std::ssize(chunks_), 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      const ir::LookupEntry& entry = plan_.entries[chunks_[c].entry];
      const Real* const weights = reinterpret_cast<const Real*>(lookups_[entry.lookup].weights);
      const bool unpooled = lookups_[entry.lookup].unpooled;
      std::uint32_t* const next = counts_.data() + chunks_[c].counts;
      const std::size_t first = first_bucket_[entry.table];
      const std::uint32_t mask = masks_[entry.table];
      visit(chunks_[c], [&](std::int64_t row, std::int64_t sample, std::int64_t i, std::int64_t size) {
        const Real weight = weights ? weights[i] : 1;
        const auto at = buckets_[first + (row & mask)].begin + next[row & mask]++;
        memory_[at] = {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(chunks_[c].entry),
                       static_cast<std::uint32_t>(unpooled ? i : sample),
                       entry.mean ? weight * (1 / static_cast<Real>(size)) : weight};
      });
    }
  });
}

template <class Real>
void RowGroups<Real>::group(std::span<const Occurrence<Real>> occurrences) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  const std::size_t count = occurrences.size();
  const int bits = std::bit_width(std::bit_ceil(2 * count + 2)) - 1;
  slots_.assign(std::size_t{1} << bits, none);  // a hash table of the rows
  rows_.resize(count);
  first_.clear();
  ends_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t row = occurrences[i].row;
    std::size_t slot = (row * std::uint64_t{0x9e3779b97f4a7c15}) >> (64 - bits);
    while (slots_[slot] != none && occurrences[first_[slots_[slot]]].row != row)
      slot = (slot + 1) & (slots_.size() - 1);
    if (slots_[slot] == none) {
      slots_[slot] = static_cast<std::uint32_t>(first_.size());
      first_.push_back(i);
      ends_.push_back(0);
    }
    rows_[i] = slots_[slot];
    ++ends_[rows_[i]];
  }
  std::uint32_t begin = 0;
  for (std::uint32_t& end : ends_) begin += std::exchange(end, begin);  // for now, where the next occurrence goes
  grouped_.resize(count);
  for (std::size_t i = 0; i < count; ++i) grouped_[ends_[rows_[i]]++] = occurrences[i];
}

template class RowOccurrences<float>;
template class RowOccurrences<double>;
template class RowGroups<float>;
template class RowGroups<double>;

}  // namespace weft::compiler
