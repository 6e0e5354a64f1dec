#include <weft/compiler/sharding_layout.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include <weft/base/error.h>
#include <weft/ir/shards.h>
#include <weft/runtime/ranks.h>

namespace weft::compiler {

namespace {

std::string text_of(const ir::Sharding& sharding) { return concat("sharded as ", sharding, " over ", sharding.mesh()); }

class ShardingLayout final : public runtime::Layout {
 public:
  explicit ShardingLayout(ir::Sharding sharding)
      : sharding_(std::move(sharding)), local_(runtime::local_devices(sharding_.mesh().devices())) {
    for (std::uint32_t device = 0; device < sharding_.mesh().devices(); ++device) holders_.push_back(holder_of(device));
  }

  const ir::Sharding& sharding() const { return sharding_; }

  std::uint32_t devices() const override { return local_.count; }
  Type shard(Type whole) const override { return sharding_.local_type(whole); }
  void divide(Type whole, const std::byte* elements, std::byte* shards) const override {
    const ir::Array array(whole, std::span(elements, whole.bytes()));
    for (std::uint32_t i = 0; i < local_.count; ++i)
      shards = std::ranges::copy(ir::shard_of(array, sharding_, local_.first + i).bytes(), shards).out;
  }
  bool holds_all() const override {
    return std::ranges::all_of(holders_, [](const auto& holder) { return holder.has_value(); });
  }
  void assemble(Type whole, const std::byte* shards, std::byte* elements) const override {
    if (!holds_all()) fail("a tensor ", text(), " is not in this process as a whole");
    const Type local = shard(whole);
    std::vector<ir::Array> arrays;
    for (const auto& holder : holders_)
      arrays.emplace_back(local, std::span(shards + *holder * local.bytes(), local.bytes()));
    std::ranges::copy(ir::assemble(arrays, sharding_, whole).bytes(), elements);
  }
  bool keeps_order() const override {
    if (local_.count != sharding_.mesh().devices()) return false;
    std::vector<int> all(sharding_.mesh().axes().size());
    for (int axis = 0; axis < std::ssize(all); ++axis) all[axis] = axis;
    return all.empty() || (sharding_.rank() > 0 && sharding_.axes(0) == all);
  }
  std::string text() const override { return text_of(sharding_); }

 private:
  // Returns a device of this process, counted from its first one, that holds what `device` holds.
  std::optional<std::uint32_t> holder_of(std::uint32_t device) const {
    if (local_.contains(device)) return device - local_.first;
    for (std::uint32_t i = 0; i < local_.count; ++i)
      if (ir::hold_the_same(sharding_, local_.first + i, device)) return i;
    return std::nullopt;
  }

  ir::Sharding sharding_;
  runtime::LocalDevices local_;
  std::vector<std::optional<std::uint32_t>> holders_;  // by device
};

}  // namespace

runtime::LayoutId layout_for(const ir::Sharding& sharding) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, runtime::LayoutId>;  // never destroyed, as layouts are not
  const std::lock_guard lock(mutex);
  runtime::LayoutId& id = (*known)[text_of(sharding)];
  if (!id) id = runtime::LayoutId::next(std::make_unique<ShardingLayout>(sharding));
  return id;
}

const ir::Sharding& sharding_of(runtime::LayoutId layout) {
  const auto* const sharded = dynamic_cast<const ShardingLayout*>(&*layout);
  WEFT_ASSERT(sharded != nullptr, "a layout that is no sharding");
  return sharded->sharding();
}

}  // namespace weft::compiler
