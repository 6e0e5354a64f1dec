#include <weft/tensor/module.h>

#include <algorithm>
#include <unordered_set>

#include <weft/tensor/creation.h>
#include <weft/tensor/saved_matrices.h>

namespace weft::detail {

StateDict state_of(const std::vector<NamedParameter>& parameters) {
  StateDict state;
  for (const auto& [name, parameter] : parameters) {
    if (parameter->saved_pieces)
      for (auto& [of_matrix, value] : matrices_of(name, *parameter)) state.emplace(of_matrix, std::move(value));
    else
      state.emplace(name, parameter->tensor());
  }
  return state;
}

bool is_saved(const StateDict& state, const std::string& name, const Parameter& parameter) {
  if (state.contains(name)) return true;
  return parameter.saved_pieces && std::ranges::any_of(saved_matrices(name, parameter), [&](const SavedMatrix& matrix) {
           return state.contains(matrix.name);
         });
}

namespace {

void list(std::string& message, std::string_view what, const std::string& names) {
  if (names.empty()) return;
  if (!message.empty()) message += "; ";
  message += what;
  message += names;
}

void add(std::string& names, const std::string& name) { names += (names.empty() ? " " : ", ") + name; }

// What a state lacks, or has too much.
class StateCheck {
 public:
  explicit StateCheck(const StateDict& state) : state_(state) {}

  void expect(const std::string& name, Type type) {
    const auto found = state_.find(name);
    if (found == state_.end()) {
      add(missing_, name);
      return;
    }
    expected_.insert(name);
    if (found->second.shape() != Shape(type.dims()))
      add(misshaped_, concat(name, " (", found->second.type(), " instead of ", type, ")"));
  }

  void require_complete() const {
    std::string unexpected, message;
    for (const auto& [name, value] : state_)
      if (!expected_.contains(name)) add(unexpected, name);
    list(message, "missing:", missing_);
    list(message, "unexpected:", unexpected);
    list(message, "of another shape:", misshaped_);
    require(message.empty(), "load_state_dict: ", message);
  }

 private:
  const StateDict& state_;
  std::unordered_set<std::string> expected_;
  std::string missing_, misshaped_;
};

}  // namespace

namespace {

// Returns a tensor with the same elements that is on no mesh, because the parameter may be on another one.
Tensor on_one_device(const Tensor& tensor) {
  const runtime::BufferPtr& buffer = tensor.impl().buffer;
  return buffer && buffer->layout() ? from_bytes(tensor.bytes(), tensor.type()) : tensor;
}

}  // namespace

void load_state(const std::vector<NamedParameter>& parameters, const StateDict& state) {
  // A state that was saved before matrices were saved, and whose pieces lie where they do here, has the parameter itself.
  const auto is_in_pieces = [&](const NamedParameter& named) {
    return named.parameter->saved_pieces && !state.contains(named.name);
  };
  StateCheck check(state);
  for (const NamedParameter& named : parameters) {
    if (!is_in_pieces(named)) {
      check.expect(named.name, named.parameter->type());
      continue;
    }
    for (const SavedMatrix& matrix : saved_matrices(named.name, *named.parameter))
      check.expect(matrix.name, matrix.type);
  }
  check.require_complete();
  for (const NamedParameter& named : parameters) {
    Parameter& parameter = *named.parameter;
    parameter = is_in_pieces(named) ? from_matrices(named.name, parameter, state)
                                    : on_one_device(state.at(named.name)).to(parameter.dtype());
  }
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
