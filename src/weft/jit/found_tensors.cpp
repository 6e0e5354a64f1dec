#include <weft/jit/found_tensors.h>

#include <algorithm>

#include <weft/record/tensor_impl.h>

namespace weft::jit {

using record::TensorImpl;

void FoundTensors::add(const TensorImpl& tensor, Finding::Kind kind, std::size_t index) {
  const Finding finding{kind, static_cast<std::uint32_t>(index)};
  auto& all = findings_[&tensor];
  if (std::ranges::find(all, finding) == all.end()) all.push_back(finding);
}

void FoundTensors::forget_recorded_as(const TensorImpl& tensor, const Tensor& recorded) {
  const auto known = recorded_as_.find(&tensor);
  if (known != recorded_as_.end() && known->second == &recorded) recorded_as_.erase(known);
}

const Tensor* FoundTensors::known_as(const TensorImpl& tensor, Type type) const {
  if (apart_) return nullptr;
  const auto known = recorded_as_.find(&tensor);
  // In a sample, the recorded tensor may have a different type.
  return known != recorded_as_.end() && known->second->type() == type ? known->second : nullptr;
}

std::size_t FoundTensors::capture(TensorImpl& tensor) {
  const auto known = std::ranges::find(captured_, &tensor, [](const Tensor& captured) { return &captured.impl(); });
  if (known != captured_.end()) return known - captured_.begin();
  captured_.emplace_back(record::TensorPtr::sharing(tensor));
  add(tensor, Finding::Kind::captured, captured_.size() - 1);
  record_as(tensor, captured_.back());
  return captured_.size() - 1;
}

bool FoundTensors::has_aliases() const {
  return !apart_ && std::ranges::any_of(findings_, [](const auto& found) { return found.second.size() > 1; });
}

std::vector<Alias> FoundTensors::aliases() const {
  std::vector<Alias> aliases;
  if (apart_) return aliases;
  for (auto [tensor, findings] : findings_) {
    std::ranges::sort(findings);
    for (std::size_t i = 1; i < findings.size(); ++i) aliases.push_back({findings[0], findings[i]});
  }
  std::ranges::sort(aliases);
  return aliases;
}

}  // namespace weft::jit
