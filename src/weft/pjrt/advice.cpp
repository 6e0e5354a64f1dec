#include <weft/pjrt/advice.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <weft/base/error.h>
#include <weft/base/hash.h>
#include <weft/ir/place_text.h>
#include <weft/pjrt/buffer.h>

namespace weft::pjrt {

namespace {

using diagnostics::Kind;

constexpr std::int64_t noticeable_bytes = 64 << 10;
constexpr int calls_until_told = 3;

// Returns the Python line of the first operation of a program.
std::string place_of(const Program& program) {
  for (const ir::Node* node : program.graph->nodes())
    if (!node->operands.empty() && node->location.line > 0) return ir::place_text(node->location);
  return {};
}

void tell(diagnostics::Event event) {
  diagnostics::count(event.kind);
  diagnostics::report(std::move(event));
}

std::vector<std::string> types_of(std::span<const ir::Port> ports) {
  std::vector<std::string> types;
  for (const ir::Port& port : ports) types.push_back(concat(port.part));
  return types;
}

class Advice {
 public:
  static Advice& instance() {
    static auto& advice = *new Advice;  // never destroyed: threads launch until the process ends
    return advice;
  }

  void compiled(const Program& program, double ms) {
    std::vector<std::string> types = types_of(program.inputs);
    std::string reason;
    {
      const std::lock_guard lock(mutex_);
      Compiled& known = compiled_[program.name];
      if (++known.count > 1) reason = why_again(known.types, types);
      known.types = std::move(types);
      if (known.count > 1) reason = concat("compiled for the ", known.count, ordinal(known.count), " time: ", reason);
    }
    if (!reason.empty())
      tell({.kind = Kind::recompile,
            .subject = program.name,
            .place = place_of(program),
            .reason = reason,
            .remedy = "give it arguments of the same shapes, or pad them; make static arguments ordinary ones",
            .cost_ms = ms});
  }

  void launched(const Program& program, std::span<PJRT_Buffer* const> arguments,
                std::span<PJRT_Buffer* const> results) {
    struct Found {
      std::size_t argument;
      std::size_t result;  // of the call before; or none: the array was copied again
    };
    constexpr std::size_t none = -1;
    std::vector<Found> found;
    {
      const std::lock_guard lock(mutex_);
      Launched& last = launched_[program.name];
      last.arguments.resize(arguments.size());
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        const ArrayOrigin& origin = arguments[i]->origin;
        Argument& before = last.arguments[i];
        const bool is_large = program.inputs[i].part.bytes() >= noticeable_bytes;
        if (is_large && !program.donated[i] && origin.number != 0) {
          const auto result = std::ranges::find(last.results, origin.number);
          if (result != last.results.end() && ++before.as_result == calls_until_told)
            found.push_back({i, static_cast<std::size_t>(result - last.results.begin())});
        }
        const bool is_again = origin.host && origin.host == before.origin.host &&
                              origin.digest == before.origin.digest && origin.number != before.origin.number;
        if (is_large && is_again && ++before.copied == calls_until_told) found.push_back({i, none});
        before.origin = origin;
      }
      last.results.clear();
      for (const PJRT_Buffer* result : results) last.results.push_back(result->origin.number);
    }
    for (const auto& [argument, result] : found) {
      const Type type = program.inputs[argument].part;
      if (result != none)
        tell({.kind = Kind::missed_donation,
              .subject = program.name,
              .place = place_of(program),
              .reason = concat("argument ", argument, " (", type, ") is result ", result,
                               " of the call before, and is not donated, so both are in memory"),
              .remedy = "name it in donate_argnums of jax.jit",
              .bytes = static_cast<std::uint64_t>(type.bytes())});
      else
        tell({.kind = Kind::repeated_upload,
              .subject = program.name,
              .place = place_of(program),
              .reason = concat("argument ", argument, " (", type, ") is the same array of the host in every call"),
              .bytes = static_cast<std::uint64_t>(type.bytes())});
    }
  }

 private:
  struct Compiled {
    std::uint64_t count = 0;
    std::vector<std::string> types;
  };
  struct Argument {
    ArrayOrigin origin = {};
    int as_result = 0, copied = 0;  // in how many calls
  };
  struct Launched {
    std::vector<std::uint64_t> results;
    std::vector<Argument> arguments;
  };

  static const char* ordinal(std::uint64_t n) {
    if (n / 10 % 10 == 1) return "th";
    switch (n % 10) {
      case 1: return "st";
      case 2: return "nd";
      case 3: return "rd";
      default: return "th";
    }
  }

  static std::string why_again(const std::vector<std::string>& before, const std::vector<std::string>& now) {
    if (before.size() != now.size()) return concat("with ", now.size(), " arguments, before with ", before.size());
    const auto differs = std::ranges::mismatch(before, now);
    if (differs.in1 == before.end())
      return "for the same types of arguments: it is another function of this name, or a static argument differs";
    return concat("argument ", differs.in1 - before.begin(), " is ", *differs.in2, ", was ", *differs.in1);
  }

  std::mutex mutex_;
  // By the name of the function.
  std::map<std::string, Compiled> compiled_;
  std::map<std::string, Launched> launched_;
};

}  // namespace

ArrayOrigin ArrayOrigin::made() {
  static std::atomic<std::uint64_t> next = 1;
  if (!diagnostics::any_sinks()) [[likely]]
    return {};
  return {.number = next.fetch_add(1, std::memory_order_relaxed)};
}

ArrayOrigin ArrayOrigin::copied(std::span<const std::byte> bytes) {
  ArrayOrigin origin = made();
  if (origin.number == 0) return origin;
  constexpr std::size_t sample = 4096;
  Fingerprint digest;
  const auto add = [&](std::span<const std::byte> part) {
    for (const std::byte byte : part) digest.add(static_cast<std::uint64_t>(byte));
  };
  add(bytes.first(std::min(sample, bytes.size())));
  add(bytes.last(std::min(sample, bytes.size())));
  origin.host = bytes.data();
  origin.digest = digest.low;
  return origin;
}

void note_compiled(const Program& program, double ms) {
  if (diagnostics::any_sinks()) Advice::instance().compiled(program, ms);
}

void note_launched(const Program& program, std::span<PJRT_Buffer* const> arguments,
                   std::span<PJRT_Buffer* const> results) {
  if (diagnostics::any_sinks()) [[unlikely]]
    Advice::instance().launched(program, arguments, results);
}

}  // namespace weft::pjrt
