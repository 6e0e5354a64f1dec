#include <weft/embed/keyed_tensor.h>

#include <algorithm>
#include <numeric>

#include <weft/record/call.h>
#include <weft/tensor/manipulation.h>

namespace weft::embed {

namespace {

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += concat(list.empty() ? "" : ", ", name);
  return list;
}

}  // namespace

KeyedTensor::KeyedTensor(std::vector<std::string> keys, std::vector<std::int64_t> widths, Tensor values,
                         std::source_location where)
    : keys_(std::move(keys)), widths_(std::move(widths)), values_(std::move(values)) {
  const record::Call call("KeyedTensor", where);
  call.require(keys_.size() == widths_.size(), keys_.size(), " keys and ", widths_.size(), " widths");
  const std::int64_t columns = std::accumulate(widths_.begin(), widths_.end(), std::int64_t{0});
  call.require(values_.rank() == 2 && values_.dim(1) == Dim(columns), "the widths sum to ", columns,
               ", but the values are ", values_.type());
  for (auto key = keys_.begin(); key != keys_.end(); ++key)
    call.require(std::find(keys_.begin(), key, *key) == key, "the key \"", *key, "\" occurs twice");
}

Tensor KeyedTensor::at(std::string_view key, std::source_location where) const {
  const record::Call call("KeyedTensor.at", where);
  const auto found = std::ranges::find(keys_, key);
  call.require(found != keys_.end(), "there is no key \"", key, "\" among ", list_of(keys_));
  const std::size_t place = found - keys_.begin();
  const std::int64_t begin = std::accumulate(widths_.begin(), widths_.begin() + place, std::int64_t{0});
  return slice(values_, 1, begin, begin + widths_[place]);
}

std::vector<Tensor> regroup(std::span<const KeyedTensor> tensors, std::span<const std::vector<std::string>> groups,
                            std::source_location where) {
  const record::Call call("regroup", where);
  std::vector<Tensor> regrouped;
  for (const std::vector<std::string>& group : groups) {
    call.require(!group.empty(), "a group has no keys");
    std::vector<Tensor> parts;
    for (const std::string& key : group) {
      const KeyedTensor* owner = nullptr;
      for (const KeyedTensor& tensor : tensors) {
        if (std::ranges::find(tensor.keys(), key) == tensor.keys().end()) continue;
        call.require(owner == nullptr, "the key \"", key, "\" is in several of the tensors");
        owner = &tensor;
      }
      call.require(owner != nullptr, "the key \"", key, "\" is in none of the tensors");
      parts.push_back(owner->at(key));
    }
    regrouped.push_back(concatenate(parts, 1));
  }
  return regrouped;
}

}  // namespace weft::embed
