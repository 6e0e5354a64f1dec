#include <algorithm>
#include <iterator>

#include <weft/compiler/thunks/control_thunk.h>
#include <weft/compiler/thunks/copy_thunk.h>
#include <weft/compiler/thunks/region.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

class BranchThunk final : public runtime::Thunk {
 public:
  BranchThunk(std::shared_ptr<const std::vector<Region>> branches, bool predicate, std::span<const Slice> from,
              std::span<const Slice> to, const Slice& scratch, bool is_on_nvidia)
      : branches_(std::move(branches)),
        predicate_(predicate),
        reads_(from.begin(), from.end()),
        writes_(to.begin(), to.end()),
        scratch_(scratch) {
    on_device = is_on_nvidia;
  }

  void run(const runtime::Launch& launch) const override { run_branch({&launch, 1}); }
  void run_together(std::span<const runtime::Launch> launches) const override { run_branch(launches); }

 private:
  void run_branch(std::span<const runtime::Launch> launches) const {
    std::vector<std::vector<std::byte*>> inputs(launches.size()), outputs(launches.size());
    std::vector<Region::Addresses> addresses;
    const std::size_t branch = chosen(launches[0]);
    for (std::size_t d = 0; d < launches.size(); ++d) {
      const runtime::Launch& launch = launches[d];
      require(chosen(launch) == branch,
              "the devices of the mesh choose different branches, but meet in collectives of one of them");
      for (std::size_t i = 1; i < reads_.size(); ++i) inputs[d].push_back(launch.at(reads_[i]));
      for (const Slice& slice : writes_) outputs[d].push_back(launch.at(slice));
      addresses.push_back({inputs[d], outputs[d], scratch_.bytes ? launch.at(scratch_) : nullptr});
    }
    const Region& region = (*branches_)[branch];
    launches.size() == 1 ? region.run(launches[0], addresses[0]) : region.run_together(launches, addresses);
  }

  std::size_t chosen(const runtime::Launch& launch) const {
    if (predicate_) return read_from_gpu(launch, launch.at<bool>(reads_[0]), on_device) ? 0 : 1;
    const std::int32_t index = read_from_gpu(launch, launch.at<std::int32_t>(reads_[0]), on_device);
    const std::size_t last = branches_->size() - 1;
    return index < 0 ? last : std::min(static_cast<std::size_t>(index), last);
  }

  std::shared_ptr<const std::vector<Region>> branches_;
  bool predicate_;
  std::vector<Slice> reads_, writes_;
  Slice scratch_;
};

void set_branches(Unit& unit, const ir::Node& node, std::vector<Region> branches, bool is_on_nvidia) {
  unit.scratch_bytes = 0;
  for (const Region& branch : branches) unit.scratch_bytes = std::max(unit.scratch_bytes, branch.temporary_bytes());
  unit.thunk().make = [branches = std::make_shared<const std::vector<Region>>(std::move(branches)),
                       predicate = node.operand(0).dtype() == DType::boolean, is_on_nvidia](
                          std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
    auto thunk = std::make_unique<BranchThunk>(branches, predicate, reads, writes, scratch, is_on_nvidia);
    thunk->meets = std::ranges::any_of(*branches, &Region::meets);
    return thunk;
  };
}

}  // namespace

bool has_programs(const ir::Node& node) {
  return node.op->flow == ir::Flow::loop || node.op->flow == ir::Flow::branches;
}

Unit branch_unit(const ir::Node& node, const NativeContext& context) {
  Unit unit = unit_of(node);
  unit.info.category = "conditional";
  const auto compiled_for = [&](const Target& target) {
    std::vector<RegionProgram> programs;
    for (std::size_t i = 0; i < node.regions.size(); ++i)
      programs.emplace_back(region_of(node, i), context, std::vector<bool>(), &target);
    return programs;
  };
  const Target* target = context.options.target;
  std::vector<RegionProgram> programs = compiled_for(*target);
  if (!std::ranges::all_of(programs, &RegionProgram::is_complete)) {
    target = &target->of_thunks();
    programs = compiled_for(*target);
  }
  std::vector<Size> sizes;
  for (const RegionProgram& program : programs) std::ranges::copy(program.sizes(), std::back_inserter(sizes));
  set_form(unit, std::move(sizes),
           [&node, programs = std::move(programs), target](const SizeValues& values) -> std::optional<Unit> {
             std::vector<Region> branches;
             for (const RegionProgram& program : programs) {
               auto known = program.at(values);
               if (!known) return std::nullopt;
               branches.push_back(std::move(*known));
             }
             Unit made;
             set_branches(made, node, std::move(branches), target->is_nvidia());
             return made;
           });
  return unit;
}

}  // namespace weft::compiler
