#include <weft/compiler/options/division.h>

#include <map>
#include <set>
#include <utility>

#include <weft/base/error.h>
#include <weft/base/process.h>

namespace weft::compiler {

double Division::sent_bytes() const {
  double bytes = 0;
  for (const Collective& c : collectives) bytes += c.sent_bytes;
  return bytes;
}

std::size_t Division::operations() const {
  std::set<std::int32_t> distinct;
  for (const Collective& c : collectives) distinct.insert(c.operation);
  return distinct.size();
}

std::string Division::summary() const {
  struct Count {
    std::set<std::int32_t> operations;
    std::size_t tensors = 0;
  };
  std::map<std::string_view, Count> counts;
  for (const Collective& c : collectives) {
    Count& count = counts[c.name];
    count.operations.insert(c.operation);
    ++count.tensors;
  }
  std::string text = concat(devices, " devices (", mesh, "): ");
  for (const char* separator = ""; const auto& [name, count] : counts) {
    text += concat(std::exchange(separator, ", "), count.operations.size(), ' ', name);
    if (count.tensors > count.operations.size()) text += concat(" of ", count.tensors, " tensors");
  }
  if (counts.empty()) return text + "no communication";
  return concat(text, "; each device sends ", format_bytes(sent_bytes()));
}

std::string cost_text(const Division::Collective& c) {
  return concat(c.name, " along ", c.axes, ": each device sends ", format_bytes(c.sent_bytes), ", ", c.formula);
}

std::string reason_text(const Division::Collective& c, const NameOfInput& name_of_input) {
  std::string text = c.reason;
  if (const std::size_t at = text.find('#'); at != std::string::npos)
    text.replace(at, 1, c.input < 0 ? c.made : name_of_input(c.input));
  return text;
}

}  // namespace weft::compiler
