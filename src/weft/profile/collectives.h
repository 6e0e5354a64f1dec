// The collectives of a recorded run: what each cost, as predicted and as measured, why it is there, and what would remove it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/profile/analysis.h>

namespace weft::profile {

struct CollectiveStats {
  const OpStats* op = nullptr;
  std::vector<const runtime::ExchangedTensor*> tensors;  // that it carries; empty if the program does not tell

  double exposed_ns() const;  // the part of the median execution in which no other op runs, as on average
  double sent_bytes() const;  // by each device, per execution
};

// Returns those with the most exposed time first. They point into the arguments.
std::vector<CollectiveStats> collective_stats(const Recording& recording, const Analysis& analysis);

// A latency and a rate that explain the times of collectives.
struct LinkFit {
  double latency_us = 0, gb_s = 0;
  double residual = 0;  // by which share of the time a collective is off, on average
};
// Fits them to the median times and the sent bytes of all collectives, by least squares. Returns nullopt if there are not at least two that
// send different amounts, or if sending more does not take longer.
std::optional<LinkFit> fit_link(const Recording& recording, const Analysis& analysis);

// Returns a table with a line for each collective, at most `most`; empty if there are none.
std::string collective_table(const Recording& recording, const Analysis& analysis, int most);
// Returns everything: for each collective also the tensors that it carries, with the reasons and the remedies.
std::string collective_text(const Recording& recording, const Analysis& analysis);
nlohmann::ordered_json collective_json(const Recording& recording, const Analysis& analysis);

}  // namespace weft::profile
