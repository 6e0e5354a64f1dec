#include <algorithm>
#include <numeric>

#include <weft/ir/interpreter/region.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/interpreter/view.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

namespace {

// The order of a sort: whether the elements of all operands at one offset come before those at another.
class Before {
 public:
  explicit Before(const NodeCall& call)
      : comparator_(*call.node.regions[0], call.context), operands_(call.operands), elements_(2 * operands_.size()) {}

  bool operator()(std::int64_t left, std::int64_t right) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const auto width = byte_size(operands_[i]->dtype());
      elements_[2 * i] = operands_[i]->bytes().data() + left * width;
      elements_[2 * i + 1] = operands_[i]->bytes().data() + right * width;
    }
    std::byte answer{};
    std::byte* const output = &answer;
    comparator_.apply(1, elements_, std::span(&output, 1));
    return answer != std::byte{0};
  }

 private:
  Region comparator_;
  std::span<const Array* const> operands_;
  std::vector<const std::byte*> elements_;
};

}  // namespace

std::vector<Array> sort(const NodeCall& call) {
  const View x = whole(call.type());
  const std::int64_t given = call.attributes<SortAttributes>().dimension;
  const std::size_t dimension = given < 0 ? given + call.type().rank() : given;
  const std::int64_t stride = x.strides[dimension];
  View lanes = x, to = x;  // the first element of each lane
  lanes.sizes[dimension] = x.sizes[dimension] == 0 ? 0 : 1;

  std::vector<std::int64_t> source(x.size());  // by position in the result: the position in the operand
  std::vector<std::int64_t> lane(x.sizes[dimension]);
  Before before(call);
  for_each(lanes, lanes, [&](std::int64_t first, std::int64_t) {
    for (std::size_t i = 0; i < lane.size(); ++i) lane[i] = first + i * stride;
    std::ranges::stable_sort(lane, std::ref(before));
    for (std::size_t i = 0; i < lane.size(); ++i) source[first + i * stride] = lane[i];
  });

  std::vector<Array> results;
  for (const Array* operand : call.operands) {
    results.emplace_back(operand->type());
    const auto width = byte_size(operand->dtype());
    std::byte* at = results.back().bytes().data();
    for (const std::int64_t from : source) at = std::copy_n(operand->bytes().data() + from * width, width, at);
  }
  return results;
}

}  // namespace weft::ir::interpreter
