#include <weft/record/same_program.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/base/digest.h>
#include <weft/base/error.h>
#include <weft/ir/place_text.h>
#include <weft/ir/text/text.h>
#include <weft/runtime/mail.h>
#include <weft/runtime/ranks.h>

namespace weft::record {

namespace {

constexpr std::string_view what = "the comparison of programs";
constexpr std::uint64_t most_text = std::uint64_t{64} << 20;

std::string digest_of(const ir::Graph& program, std::string_view settings) {
  const std::string text = ir::print(program);
  Digest digest;
  digest.add(std::as_bytes(std::span(text)));
  digest.add(std::as_bytes(std::span(settings)));
  return digest.hex();
}

// Takes the first line off a text.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::string_view without_location(std::string_view line) { return line.substr(0, line.rfind(" loc(")); }

std::string_view trimmed(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.empty() ? "nothing more" : line;
}

// Returns where the user wrote the last operation that has a place: " from train.cpp:58".
std::string last_place(const ir::Graph& program) {
  for (const ir::Node* node : program.nodes() | std::views::reverse)
    if (const std::string place = ir::place_text(node->location); !place.empty()) return concat(" from ", place);
  return "";
}

// The processes speak with the first one.
class Comparison {
 public:
  Comparison(const ir::Graph& program, const runtime::Ranks& ranks)
      : program_(program),
        ranks_(ranks),
        mail_(*ranks.transport, runtime::Transport::Channel::host),
        detail_(concat("for ", program.name, last_place(program))) {}

  void run(std::string_view settings) {
    const std::string own = digest_of(program_, settings);
    std::vector<std::string> others(ranks_.is_first() ? ranks_.count : 0, std::string(own.size(), ' '));
    gather(own, others);
    std::uint32_t other = 0;  // the first process that differs from process 0
    for (std::uint32_t rank = 1; rank < others.size() && other == 0; ++rank)
      if (others[rank] != own) other = rank;
    runtime::broadcast(what, std::as_writable_bytes(std::span(&other, 1)));
    if (other != 0) report(other);
  }

 private:
  // Sends `own` to the first process, which receives as many bytes from each of the others.
  void gather(const std::string& own, std::vector<std::string>& others) {
    if (!ranks_.is_first()) mail_.send(0, bytes_of(own), own.size());
    for (std::uint32_t rank = 1; rank < others.size(); ++rank) mail_.receive(rank, bytes_of(others[rank]), own.size());
    deliver();
  }
  void send(std::uint32_t from, void* bytes, std::size_t count) {
    auto* const at = static_cast<std::byte*>(bytes);
    if (ranks_.rank == from) mail_.send(0, at, count);
    if (ranks_.is_first()) mail_.receive(from, at, count);
    deliver();
  }
  void deliver() { mail_.deliver({.text = what, .detail = detail_}); }

  [[noreturn]] void report(std::uint32_t other) {
    std::string text = ir::print(program_, {.locations = true});
    std::uint64_t size = std::min<std::uint64_t>(text.size(), most_text);
    const std::string own = text;
    send(other, &size, sizeof size);
    text.resize(std::min(size, most_text));
    send(other, text.data(), text.size());
    if (!ranks_.is_first())
      throw runtime::OtherRankError("the processes have different programs");  // the first says where
    std::string_view mine = own, theirs = text;
    while (!mine.empty() || !theirs.empty()) {
      const std::string_view a = take_line(mine), b = take_line(theirs);
      if (without_location(a) == without_location(b)) continue;
      fail("the processes have different programs: rank 0 has ", trimmed(a), ", rank ", other, " has ", trimmed(b),
           ". All processes must run the same program on the same data: look for what depends on the process, the time "
           "or the host");
    }
    fail("the processes compile differently: rank 0 and rank ", other,
         " have different settings (variables WEFT_...) or processors, and would send different messages");
  }

  static std::byte* bytes_of(const std::string& text) {
    return reinterpret_cast<std::byte*>(const_cast<char*>(text.data()));
  }

  const ir::Graph& program_;
  const runtime::Ranks& ranks_;
  runtime::Mail mail_;
  std::string detail_;
};

}  // namespace

void require_same_program(const ir::Graph& program, std::string_view settings) {
  const runtime::Ranks& ranks = runtime::ranks();
  if (ranks.count > 1) Comparison(program, ranks).run(settings);
}

}  // namespace weft::record
