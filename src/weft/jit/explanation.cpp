#include <weft/jit/explanation.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <weft/base/error.h>

namespace weft {

namespace {

constexpr std::size_t most_programs = 32;  // in a text
constexpr std::size_t most_lines = 4;      // of one kind, in a summary

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string megabytes(double bytes) { return fmt::format("{:.3g} MB", bytes / 1e6); }
std::string megaflops(double flops) { return fmt::format("{:.3g} Mflop", flops / 1e6); }

// " at PLACE", or nothing.
std::string at(const std::string& place) { return place.empty() ? "" : " at " + place; }

std::string in_modules(const std::vector<std::string>& modules) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(modules.size(), most); ++i) text += (i == 0 ? " in " : ", ") + modules[i];
  return modules.size() > most ? fmt::format("{} and {} more modules", text, modules.size() - most) : text;
}

// Writes the explanation, as a summary or in full.
class Writer {
 public:
  explicit Writer(bool short_form) : is_short_(short_form) {}

  std::string write(const Explanation& e) {
    line("{}: {}, recorded {}, compiled {}{}{}", e.function, plural(e.calls, "call"), plural(e.recorded, "time"),
         plural(e.compiles, "time"),
         e.compiled_ahead == 0 ? ""
                               : fmt::format(" and {} ahead in the background", plural(e.compiled_ahead, "program")),
         e.evicted == 0 ? "" : fmt::format(", {} forgotten", plural(e.evicted, "program")));
    if (!e.sizes.empty()) line("sizes: {}", e.sizes);
    const std::size_t shown = std::min(e.programs.size(), is_short_ ? most_lines : most_programs);
    for (std::size_t i = 0; i < shown; ++i) write(e.programs[i], i);
    if (shown < e.programs.size())
      line("and {} that were used before these: {} has all of them", plural(e.programs.size() - shown, "more program"),
           is_short_ && e.programs.size() <= most_programs ? "details()" : "json()");
    std::vector<std::string> breaks;
    for (const Explanation::Break& cut : e.breaks)
      breaks.push_back(
          fmt::format("{}{}, {}, {:.3g} ms in all", cut.reason, at(cut.place), plural(cut.count, "time"), cut.ms));
    lines("graph break: ", breaks);
    lines("", e.recompiles);
    if (is_short_ && !e.programs.empty()) line("details() lists every guard, kernel and fusion; json() is for tools");
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
    text_ += '\n';
  }

  // Writes each line after the title; a summary has equal lines once, and only the first few and the number of the others.
  void lines(std::string_view title, std::span<const std::string> given) {
    const std::vector<std::string> all = is_short_ ? counted(given) : std::vector(given.begin(), given.end());
    const std::size_t shown = is_short_ && all.size() > most_lines ? most_lines - 1 : all.size();
    for (std::size_t i = 0; i < shown; ++i) line("{}{}", title, all[i]);
    if (shown < all.size()) line("{}... and {} more", title, all.size() - shown);
  }

  static std::vector<std::string> counted(std::span<const std::string> all) {
    std::map<std::string_view, std::uint64_t> counts;
    for (const std::string& each : all) ++counts[each];
    std::vector<std::string> texts;
    for (const std::string& each : all) {
      const std::uint64_t count = std::exchange(counts[each], 0);
      if (count != 0) texts.push_back(count == 1 ? each : concat(each, "; ", count, " times"));
    }
    return texts;
  }

  void write(const Explanation::Program& p, std::size_t i) {
    line("program {}: {}, {}, {}, {} updated, {} at its peak; {}, replayed {}", i, plural(p.nodes, "operation"),
         plural(p.kernels, "kernel"), plural(p.inputs, "input"), plural(p.updates, "parameter"),
         megabytes(p.peak_bytes),
         p.compile_ms > 0 ? fmt::format("compiled in {:.3g} ms", p.compile_ms) : "an equal program existed",
         plural(p.replays, "time"));
    lines("  argument ", p.arguments);
    lines("  guard: ", p.guards);
    lines("  frozen: ", p.frozen);
    write(p);
    if (!p.differentiated_at.empty())
      line(
          "  a gradient is taken through its results at {}: {} became part of the recording around them; compile the "
          "whole step, with the gradient inside",
          p.differentiated_at, plural(p.inlined, "later call"));
    if (!p.rerecorded_because.empty()) line("  recorded in every call, for {}", p.rerecorded_because);
    for (std::size_t k = 0; k < p.before.size(); ++k) {
      const Explanation::Graph& g = p.before[k];
      line("graph {} before program {}: {}, {}, {} at its peak; ended by a break: {}", k, i,
           plural(g.nodes, "operation"), plural(g.kernels, "kernel"), megabytes(g.peak_bytes), g.ended_by);
      write(g);
    }
  }

  void write(const Explanation::Graph& g) {
    line("  one launch moves {} and computes {}", megabytes(g.moved_bytes), megaflops(g.flops));
    if (!g.devices.empty()) line("  {}", g.devices);
    lines("  ", g.joined);
    lines("  ", g.collectives);
    if (is_short_) {
      summarise(g);
    } else {
      list(g);
    }
    lines("  autotuned: ", g.choices);
    if (g.distinct_kernels != 0)
      line("  generated kernels: {} distinct, {} compiled, {} from the disk or an artifact{}{}", g.distinct_kernels,
           g.compiled_kernels, g.loaded_kernels, g.cache_miss.empty() ? "" : "; missed: ", g.cache_miss);
    write_phases(g);
  }

  void list(const Explanation::Graph& g) {
    for (const Explanation::Kernel& k : g.launches)
      line("  kernel {} ({}): {}, {}{}", k.name, k.category, megabytes(k.bytes), megaflops(k.flops), at(k.source));
    for (const compiler::Fusion& f : g.fusions)
      line("  {} {}: {}{}", f.refused.empty() ? "fused" : "not fused", f.name,
           f.refused.empty() ? f.operations : f.refused, at(f.source));
    for (const compiler::SharedCode& s : g.shared)
      line("  shared: the code of {} is made once and called {}{}{}", s.name, plural(s.calls, "time"), at(s.source),
           in_modules(s.modules));
  }

  struct Total {
    std::uint64_t count = 0;
    double bytes = 0, flops = 0;
    std::string first_place = {};
  };

  void summarise(const Explanation::Graph& g) {
    std::map<std::string, Total> categories, refusals;
    for (const Explanation::Kernel& k : g.launches) {
      Total& total = categories[k.category];
      ++total.count;
      total.bytes += k.bytes;
      total.flops += k.flops;
    }
    std::vector<std::pair<std::string, Total>> by_bytes(categories.begin(), categories.end());
    std::ranges::stable_sort(by_bytes, std::greater(), [](const auto& each) { return each.second.bytes; });
    std::vector<std::string> kernels;
    for (const auto& [category, total] : by_bytes)
      kernels.push_back(
          fmt::format("{} x {}: {}, {}", total.count, category, megabytes(total.bytes), megaflops(total.flops)));
    lines("  kernels: ", kernels);

    std::vector<const Explanation::Kernel*> largest;
    for (const Explanation::Kernel& k : g.launches) largest.push_back(&k);
    std::ranges::stable_sort(largest, std::greater(), [](const auto* k) { return k->bytes; });
    largest.resize(std::min(largest.size(), most_lines - 1));
    for (const Explanation::Kernel* k : largest)
      line("  largest: {} ({}): {}, {}{}", k->name, k->category, megabytes(k->bytes), megaflops(k->flops),
           at(k->source));

    std::uint64_t made = 0;
    for (const compiler::Fusion& f : g.fusions) {
      if (f.refused.empty()) {
        ++made;
        continue;
      }
      Total& total = refusals[f.refused];
      if (++total.count == 1) total.first_place = f.source;
    }
    if (made != 0) line("  fused: {} of operations", plural(made, "group"));
    std::vector<std::pair<std::string, Total>> by_count(refusals.begin(), refusals.end());
    std::ranges::stable_sort(by_count, std::greater(), [](const auto& each) { return each.second.count; });
    std::vector<std::string> refused;
    for (const auto& [reason, total] : by_count)
      refused.push_back(fmt::format("{} x {}{}{}", total.count, reason,
                                    total.count > 1 && !total.first_place.empty() ? ", first" : "",
                                    at(total.first_place)));
    lines("  not fused: ", refused);

    std::uint64_t calls = 0;
    for (const compiler::SharedCode& s : g.shared) calls += s.calls;
    if (calls != 0)
      line("  shared: the code of {} is made once and called {}", plural(g.shared.size(), "kernel"),
           plural(calls, "time"));
  }

  void write_phases(const Explanation::Graph& g) {
    if (!is_short_) {
      for (const compiler::PassTiming& phase : g.phases) line("  phase {}: {:.3g} ms", phase.name, phase.ms);
      return;
    }
    double all_ms = 0;
    for (const compiler::PassTiming& phase : g.phases) all_ms += phase.ms;
    auto longest = g.phases;
    std::ranges::stable_sort(longest, std::greater(), &compiler::PassTiming::ms);
    longest.resize(std::min(longest.size(), most_lines - 1));
    std::string text;
    for (const compiler::PassTiming& phase : longest)
      text += fmt::format("{}{} {:.3g} ms", text.empty() ? "" : ", ", phase.name, phase.ms);
    if (!text.empty()) line("  compiling took {:.3g} ms, most of all {}", all_ms, text);
  }

  bool is_short_;
  std::string text_;
};

}  // namespace

std::string Explanation::text() const { return Writer(true).write(*this); }
std::string Explanation::details() const { return Writer(false).write(*this); }

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) { return out << explanation.text(); }

}  // namespace weft
