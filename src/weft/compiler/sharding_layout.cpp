#include <weft/compiler/sharding_layout.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include <weft/base/error.h>
#include <weft/ir/shards.h>

namespace weft::compiler {

namespace {

std::string text_of(const ir::Sharding& sharding) { return concat("sharded as ", sharding, " over ", sharding.mesh()); }

class ShardingLayout final : public runtime::Layout {
 public:
  explicit ShardingLayout(ir::Sharding sharding) : sharding_(std::move(sharding)) {}

  const ir::Sharding& sharding() const { return sharding_; }

  std::uint32_t devices() const override { return sharding_.mesh().devices(); }
  Type shard(Type whole) const override { return sharding_.local_type(whole); }
  void divide(Type whole, const std::byte* elements, std::byte* shards) const override {
    const ir::Array array(whole, std::span(elements, whole.bytes()));
    for (const ir::Array& shard : ir::shards_of(array, sharding_))
      shards = std::ranges::copy(shard.bytes(), shards).out;
  }
  void assemble(Type whole, const std::byte* shards, std::byte* elements) const override {
    const Type local = shard(whole);
    std::vector<ir::Array> arrays;
    for (std::uint32_t device = 0; device < devices(); ++device)
      arrays.emplace_back(local, std::span(shards + device * local.bytes(), local.bytes()));
    std::ranges::copy(ir::assemble(arrays, sharding_, whole).bytes(), elements);
  }
  bool keeps_order() const override {
    std::vector<int> all(sharding_.mesh().axes().size());
    for (int axis = 0; axis < std::ssize(all); ++axis) all[axis] = axis;
    return all.empty() || (sharding_.rank() > 0 && sharding_.axes(0) == all);
  }
  std::string text() const override { return text_of(sharding_); }

 private:
  ir::Sharding sharding_;
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
