#include <weft/record/missed_donations.h>

#include <weft/base/diagnostics.h>
#include <weft/profile/hints.h>

namespace weft::record {

namespace {
constexpr std::size_t most_programs = 1000;
}

void MissedDonations::look(const Fingerprint& identity, const runtime::Executable& program,
                           std::span<const runtime::BufferPtr> inputs, std::span<const runtime::BufferPtr> results) {
  if (seen_.size() == most_programs && !seen_.contains(identity)) seen_.clear();
  Seen& seen = seen_[identity];
  if (seen.told) return;
  std::size_t carried = 0, missed = 0;
  std::uint64_t bytes = 0;
  for (const runtime::BufferPtr& input : inputs) {
    const auto made = seen.made.find(input->id());
    if (made == seen.made.end()) continue;
    ++carried;
    const runtime::Output& output = program.outputs[made->second];
    if (!input->held() || output.donated_input >= 0 || output.type != input->type()) continue;
    ++missed;
    bytes += output.type.bytes();
  }
  if (missed > 0) {
    seen = {.made = {}, .told = true};
    WEFT_DIAGNOSE(missed_donation, .subject = program.name, .place = profile::place_of(program),
                  .reason = concat(missed, " of the ", carried,
                                   " tensors that each step replaces get new memory, because something still holds the "
                                   "old ones at the sync"),
                  .bytes = bytes);
    return;
  }
  seen.made.clear();
  for (std::size_t i = 0; i < results.size(); ++i) seen.made.emplace(results[i]->id(), i);
}

}  // namespace weft::record
