#include <weft/profile/collectives.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <weft/base/error.h>
#include <weft/base/process.h>
#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

std::string summary(const Analysis& analysis, std::size_t count) {
  const double steps =
      std::max<double>(static_cast<double>(analysis.steps.size()) + 1, 1);  // the first one has no time
  return fmt::format("{} collectives take {:.3f} ms of a step, {:.1f}% of it exposed: nothing else runs meanwhile\n",
                     count, milliseconds_of(analysis.communication_ns) / steps, 100 * analysis.exposed_share());
}

std::string tensors_text(std::size_t count) { return count == 1 ? "1 tensor" : concat(count, " tensors"); }

}  // namespace

double CollectiveStats::exposed_ns() const {
  return op->total_ns ? op->spread.median * static_cast<double>(op->exposed_ns) / static_cast<double>(op->total_ns) : 0;
}

double CollectiveStats::sent_bytes() const {
  double bytes = 0;
  for (const runtime::ExchangedTensor* tensor : tensors) bytes += tensor->sent_bytes;
  return bytes;
}

std::vector<CollectiveStats> collective_stats(const Recording& recording, const Analysis& analysis) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<const runtime::ExchangedTensor*>> tensors;
  for (std::size_t p = 0; p < recording.programs.size(); ++p)
    for (const runtime::ExchangedTensor& tensor : recording.programs[p].description.exchanged)
      tensors[{static_cast<std::int32_t>(p), tensor.thunk}].push_back(&tensor);
  std::vector<CollectiveStats> all;
  for (const OpStats& op : analysis.ops)
    if (op.category == "collective") all.push_back({&op, tensors[{op.program, op.op}]});
  std::ranges::stable_sort(all, std::greater{}, [](const CollectiveStats& c) { return c.op->exposed_ns; });
  return all;
}

std::optional<LinkFit> fit_link(const Recording& recording, const Analysis& analysis) {
  std::vector<std::pair<double, double>> points;  // bytes, microseconds
  for (const CollectiveStats& c : collective_stats(recording, analysis))
    if (c.sent_bytes() > 0) points.emplace_back(c.sent_bytes(), 1e-3 * c.op->spread.median);
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [bytes, us] : points) n += 1, x += bytes, y += us, xx += bytes * bytes, xy += bytes * us;
  const double spread = n * xx - x * x;
  if (n < 2 || spread <= 1e-9 * xx) return std::nullopt;
  const double us_per_byte = (n * xy - x * y) / spread;
  if (us_per_byte <= 0) return std::nullopt;
  LinkFit fit{.latency_us = std::max((y - us_per_byte * x) / n, 0.0), .gb_s = 1e-3 / us_per_byte};
  for (const auto& [bytes, us] : points)
    fit.residual += std::abs(fit.latency_us + us_per_byte * bytes - us) / std::max(us, 1e-9) / n;
  return fit;
}

std::string collective_table(const Recording& recording, const Analysis& analysis, int most) {
  const std::vector<CollectiveStats> all = collective_stats(recording, analysis);
  if (all.empty()) return {};
  std::string text = '\n' + summary(analysis, all.size());
  if (const auto fit = fit_link(recording, analysis))
    text += fmt::format("they take what a link of {:.3g} us and {:.3g} GB/s would take, within {:.0f}% on average\n",
                        fit->latency_us, fit->gb_s, 100 * fit->residual);
  text += fmt::format("{:>12} {:>12} {:>12} {:>6} {:>12} {:>8}  {}\n", "predicted us", "measured us", "exposed us",
                      "runs", "sends", "tensors", "name");
  const std::size_t shown = std::min(all.size(), static_cast<std::size_t>(std::max(most, 0)));
  for (const CollectiveStats& c : std::span(all).first(shown))
    text += fmt::format("{:12.1f} {:12.1f} {:12.1f} {:6} {:>12} {:8}  %{}\n", 1e-3 * c.op->predicted_ns,
                        1e-3 * c.op->spread.median, 1e-3 * c.exposed_ns(), c.op->occurrences,
                        c.tensors.empty() ? "" : format_bytes(c.sent_bytes()), c.tensors.size(), printable(c.op->name));
  if (shown < all.size()) text += fmt::format("     and {} more\n", all.size() - shown);
  return text;
}

std::string collective_text(const Recording& recording, const Analysis& analysis) {
  const std::vector<CollectiveStats> all = collective_stats(recording, analysis);
  std::string text = all.empty() ? "nothing was communicated\n" : summary(analysis, all.size());
  for (const CollectiveStats& c : all) {
    const double measured = c.op->spread.median, exposed = c.exposed_ns();
    text += fmt::format(
        "\n%{} carries {}: each device sends {}; predicted {:.3f} ms, measured {:.3f} ms, hidden {:.3f} ms, exposed "
        "{:.3f} "
        "ms\n",
        printable(c.op->name), tensors_text(c.tensors.size()), format_bytes(c.sent_bytes()), 1e-6 * c.op->predicted_ns,
        1e-6 * measured, 1e-6 * (measured - exposed), 1e-6 * exposed);
    std::vector<std::pair<std::string, std::size_t>> remedies;  // and for how many tensors
    for (const runtime::ExchangedTensor* tensor : c.tensors) {
      text += printable(concat("  ", format_bytes(tensor->sent_bytes), " along ", tensor->axes, ", ", tensor->formula,
                               "; ", tensor->reason)) +
              '\n';
      for (const std::string& remedy : tensor->remedies) {
        const auto known = std::ranges::find(remedies, remedy, &std::pair<std::string, std::size_t>::first);
        known == remedies.end() ? void(remedies.emplace_back(remedy, 1)) : void(++known->second);
      }
    }
    for (const auto& [remedy, count] : remedies)
      text +=
          printable(concat("    ", c.tensors.size() == 1 ? "" : concat("for ", tensors_text(count), ": "), remedy)) +
          '\n';
  }
  return text;
}

nlohmann::ordered_json collective_json(const Recording& recording, const Analysis& analysis) {
  using nlohmann::ordered_json;
  ordered_json all = ordered_json::array();
  for (const CollectiveStats& c : collective_stats(recording, analysis)) {
    ordered_json tensors = ordered_json::array();
    for (const runtime::ExchangedTensor* tensor : c.tensors)
      tensors.push_back({{"collective", tensor->collective},
                         {"axes", tensor->axes},
                         {"sent_bytes", tensor->sent_bytes},
                         {"formula", tensor->formula},
                         {"reason", tensor->reason},
                         {"remedies", tensor->remedies}});
    all.push_back({{"name", "%" + c.op->name},
                   {"program", c.op->program_name},
                   {"occurrences", c.op->occurrences},
                   {"sent_bytes", c.sent_bytes()},
                   {"predicted_ns", c.op->predicted_ns},
                   {"measured_ns", c.op->spread.median},
                   {"exposed_ns", c.exposed_ns()},
                   {"tensors", std::move(tensors)}});
  }
  const auto fit = fit_link(recording, analysis);
  return {{"communication_ns", analysis.communication_ns},
          {"exposed_ns", analysis.exposed_ns},
          {"exposed_share", analysis.exposed_share()},
          {"link", fit ? ordered_json{{"latency_us", fit->latency_us}, {"gb_s", fit->gb_s}, {"residual", fit->residual}}
                       : ordered_json()},
          {"collectives", std::move(all)}};
}

}  // namespace weft::profile
