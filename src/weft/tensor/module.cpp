#include <weft/tensor/module.h>

#include <algorithm>

namespace weft::detail {

StateDict state_of(const std::vector<NamedParameter>& parameters) {
  StateDict state;
  for (const auto& [name, parameter] : parameters) state.emplace(name, parameter->tensor());
  return state;
}

namespace {

void list(std::string& message, std::string_view what, const std::string& names) {
  if (names.empty()) return;
  if (!message.empty()) message += "; ";
  message += what;
  message += names;
}

void add(std::string& names, const std::string& name) { names += (names.empty() ? " " : ", ") + name; }

}  // namespace

void load_state(const std::vector<NamedParameter>& parameters, const StateDict& state) {
  std::string missing, misshaped, unexpected, message;
  std::size_t known = 0;
  for (const auto& [name, parameter] : parameters) {
    const auto found = state.find(name);
    if (found == state.end()) {
      add(missing, name);
      continue;
    }
    ++known;
    if (found->second.shape() != parameter->shape())
      add(misshaped, concat(name, " (", found->second.type(), " instead of ", parameter->type(), ")"));
  }
  if (known < state.size()) {
    for (const auto& [name, value] : state) {
      if (std::ranges::none_of(parameters, [&](const NamedParameter& p) { return p.name == name; }))
        add(unexpected, name);
    }
  }
  list(message, "missing:", missing);
  list(message, "unexpected:", unexpected);
  list(message, "of another shape:", misshaped);
  require(message.empty(), "load_state_dict: ", message);
  for (const auto& [name, parameter] : parameters) *parameter = state.at(name).to(parameter->dtype());
}

std::string summarize(const std::vector<NamedParameter>& parameters) {
  std::size_t width = 5;
  for (const auto& [name, parameter] : parameters) width = std::max(width, name.size());
  std::string table;
  std::int64_t total = 0;
  for (const auto& [name, parameter] : parameters) {
    const std::int64_t count = parameter->type().elements();
    table += concat(name, std::string(width + 2 - name.size(), ' '), parameter->type(), "  ", count, '\n');
    total += count;
  }
  return table + concat("total", std::string(width - 3, ' '), total, " parameters\n");
}

}  // namespace weft::detail
