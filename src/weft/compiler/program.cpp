#include <weft/compiler/program.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <weft/base/error.h>
#include <weft/compiler/cache/kernel_cache.h>
#include <weft/compiler/describe_program.h>
#include <weft/compiler/passes/split_reductions.h>
#include <weft/compiler/plan/library_error.h>
#include <weft/compiler/thunks/gpu_kernel_thunk.h>
#include <weft/compiler/thunks/kernel_thunk.h>
#include <weft/runtime/schedule.h>

namespace weft::compiler {

namespace {

constexpr std::int64_t most_elements_in_profiles = 16;  // elements of a constant

// Replaces a thunk whose code cannot run on this processor.
class ForeignThunk final : public runtime::Thunk {
 public:
  explicit ForeignThunk(const Target& target) : target_(target) {}
  void run(const runtime::Launch&) const override {
    fail("the program was compiled for ", target_.name, ", whose code this processor cannot run");
  }

 private:
  const Target& target_;
};

// Finds the code for one target that the thunk of a unit for certain sizes calls, and adds its owners.
void find_routines(std::span<const std::shared_ptr<Routine>> all, const Target& target, const Target& of_program,
                   std::vector<std::shared_ptr<const void>>& owners) {
  std::vector<std::shared_ptr<Routine>> routines;
  std::ranges::copy_if(all, std::back_inserter(routines),
                       [&](const auto& routine) { return &code_target(*routine, of_program) == &target; });
  if (routines.empty()) return;
  std::vector<KernelSource> sources;
  std::vector<std::string> keys;
  std::vector<std::size_t> places;  // of each routine's code
  for (const auto& routine : routines) {
    const auto known = std::ranges::find(keys, routine->key);
    places.push_back(known - keys.begin());
    if (known != keys.end()) continue;
    sources.push_back(routine->source);
    keys.push_back(routine->key);
  }
  KernelCache::Found found = KernelCache::instance().get(sources, keys, target);
  for (std::size_t i = 0; i < routines.size(); ++i) routines[i]->address = found.kernels[places[i]];
  std::ranges::move(found.owners, std::back_inserter(owners));
}

// Replaces the last inputs by these constants.
void bind(std::span<const std::span<const std::byte>> constants, runtime::Executable& executable) {
  if (constants.empty()) return;
  const std::size_t inputs = executable.inputs.size() - constants.size();
  executable.inputs.resize(inputs);
  for (runtime::Allocation& allocation : executable.allocations) {
    if (allocation.kind != runtime::Allocation::Kind::input || allocation.index < inputs) continue;
    const auto bytes = constants[allocation.index - inputs];
    const std::shared_ptr<std::byte> copy = constant_memory(bytes.size());
    std::ranges::copy(bytes, copy.get());
    allocation.kind = runtime::Allocation::Kind::constant;
    allocation.constant = copy;
  }
}

}  // namespace

Program::Program(ProgramParts parts) : parts_(std::move(parts)) {
  parts_.kernels.resize(parts_.units.size());
  fill_table();
  for (std::size_t u = 0; u < parts_.units.size(); ++u) symbols_.push_back(symbols_of(u));
}

template <class Visit>
void Program::for_each_size(std::size_t unit, Visit&& visit) const {
  const Unit& u = parts_.units[unit];
  if (const GeneratedKernels* kernels = u.kernels())
    for (const auto& loop : kernels->loops)
      for (const Size size : loop->parameters) visit(size);
  if (const SizedLater* later = u.sized_later())
    for (const Size size : later->sizes) visit(size);
  visit(u.flops);
  if (u.bytes) visit(*u.bytes);
  for (const auto* places : {&parts_.plan.reads[unit], &parts_.plan.writes[unit]})
    for (const MemoryPlan::Place& place : *places) visit(place.bytes);
}

void Program::fill_table() {
  for (std::size_t u = 0; u < parts_.units.size(); ++u) for_each_size(u, [&](Size size) { table_.add(size); });
  for (const MemoryPlan::Allocation& a : parts_.plan.allocations) table_.add(a.bytes);
  for (const MemoryPlan::Lifetime& life : parts_.plan.lifetimes) table_.add(life.bytes);
  for (const ir::Node* node : parts_.graph->nodes())
    for (const Type type : node->types)
      for (const Dim dim : type.dims()) table_.add(dim);
}

std::uint64_t Program::symbols_of(std::size_t unit) const {
  std::uint64_t bits = 0;
  for_each_size(unit, [&](Size size) { bits |= table_.symbols(size); });
  return bits;
}

std::shared_ptr<const Program::Instance> Program::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

std::uint64_t Program::changed(const Instance* before, std::span<const std::int64_t> symbols) {
  if (!before) return ~std::uint64_t{0};
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (symbols[i] != before->symbols[i]) bits |= std::uint64_t{1} << std::min<std::size_t>(i, 63);
  return bits;
}

namespace {

double slice_bytes(const std::vector<runtime::Slice>& slices) {
  double bytes = 0;
  for (const runtime::Slice& slice : slices) bytes += slice.bytes;
  return bytes;
}

}  // namespace

std::shared_ptr<runtime::Thunk> Program::make_thunk(std::size_t unit, const Unit* sized, const SizeValues& sizes,
                                                    std::uint64_t scratch_bytes) const {
  const Unit& u = parts_.units[unit];
  auto reads = slices(parts_.plan.reads[unit], sizes), writes = slices(parts_.plan.writes[unit], sizes);
  const runtime::Slice scratch = scratch_slice(parts_.plan, unit, scratch_bytes);
  std::shared_ptr<runtime::Thunk> thunk;
  if (!parts_.target->runs_here) {
    thunk = std::make_shared<ForeignThunk>(*parts_.target);
  } else if (const GeneratedKernels* kernels = u.kernels()) {
    const bool is_on_gpu = code_target(u, *parts_.target).is_gpu;
    std::vector<KernelCall> calls;
    std::vector<GpuKernelCall> gpu_calls;
    auto read = reads.begin(), write = writes.begin();
    for (std::size_t i = 0; i < kernels->loops.size(); ++i) {
      const Loop& loop = *kernels->loops[i];
      std::vector<runtime::Slice> buffers(read, read + loop.inputs);
      buffers.insert(buffers.end(), write, write + loop.outputs());
      read += loop.inputs;
      if (!kernels->write_parts) write += loop.outputs();
      const KernelAddress code = parts_.kernels[unit][i];
      if (is_on_gpu)
        gpu_calls.emplace_back(loop, *static_cast<const GpuKernel*>(code), std::move(buffers), sizes(loop.parameters));
      else
        calls.emplace_back(loop, reinterpret_cast<Kernel>(code), std::move(buffers), sizes(loop.parameters));
    }
    if (is_on_gpu)
      thunk = std::make_shared<GpuKernelThunk>(std::move(gpu_calls), *parts_.target);
    else
      thunk = std::make_shared<KernelThunk>(std::move(calls));
  } else {
    thunk = (sized ? *sized : u).thunk().make(reads, writes, scratch);
  }
  const Unit& work = sized ? *sized : u;
  thunk->info = u.info;
  thunk->info.flops = sizes(work.flops);
  thunk->info.bytes = work.bytes ? sizes(*work.bytes) : slice_bytes(reads) + slice_bytes(writes);
  thunk->info.link_seconds = u.link_seconds;
  thunk->stream = u.stream;
  thunk->has_side_effect = u.has_side_effect;
  thunk->reads = std::move(reads);
  thunk->writes = std::move(writes);
  if (scratch.bytes) thunk->writes.push_back(scratch);
  return thunk;
}

Result<std::shared_ptr<const runtime::Executable>> Program::at(
    std::vector<std::int64_t> symbols, std::span<const std::span<const std::byte>> constants) const {
  const auto before = last();
  const std::uint64_t others = changed(before.get(), symbols);
  auto made = std::make_shared<Instance>();
  made->symbols = symbols;
  const SizeValues sizes(std::move(symbols), &table_);
  for (const ir::Node* sum : parts_.ordered_sums)
    if (is_reordered(*sum, sizes, *parts_.target))
      return Status::failed(
          concat("in strict mode, the sum over ", sizes(sum->operand(0).type()), " is taken in another order"));
  const std::size_t count = parts_.units.size();
  auto executable = std::make_shared<runtime::Executable>();
  made->thunks.reserve(count);
  made->scratch_bytes.reserve(count);
  made->code.resize(count);
  std::vector<std::shared_ptr<const runtime::Thunk>> unprepared;
  for (std::size_t u = 0; u < count; ++u) {
    const Unit& unit = parts_.units[u];
    if (before && (symbols_[u] & others) == 0) {
      made->thunks.push_back(before->thunks[u]);
      made->scratch_bytes.push_back(before->scratch_bytes[u]);
      made->code[u] = before->code[u];
      continue;
    }
    std::optional<Unit> sized;
    if (const SizedLater* later = unit.sized_later()) {
      sized = naming_library_errors(unit.info.name, unit.info.source, [&] { return later->at(sizes); });
      if (!sized)
        return Status::failed(concat(unit.info.name, " from ", unit.info.source, " has another form for these sizes"));
      const Target& host = parts_.target->of_thunks();
      find_routines(sized->thunk().routines, host, *parts_.target, made->code[u]);
      if (parts_.target != &host) find_routines(sized->thunk().routines, *parts_.target, *parts_.target, made->code[u]);
    }
    made->scratch_bytes.push_back(sized ? sized->scratch_bytes : unit.scratch_bytes);
    made->thunks.push_back(make_thunk(u, sized ? &*sized : nullptr, sizes, made->scratch_bytes.back()));
    if (sized && sized->thunk().has_to_prepare) unprepared.push_back(made->thunks.back());
  }
  if (!unprepared.empty()) executable->preparation = std::make_shared<runtime::Preparation>(std::move(unprepared));
  made->layout = lay_out(parts_.plan, sizes, made->scratch_bytes, before ? before->layout : nullptr, *executable);
  executable->name = parts_.name;
  std::vector<std::vector<std::byte>> numbers;
  for (const auto bytes : constants) numbers.emplace_back(bytes.begin(), bytes.end());
  executable->describe = [self = shared_from_this(), symbols = made->symbols, numbers = std::move(numbers)] {
    return describe_program(*self->parts_.graph, self->parts_.units, most_elements_in_profiles, SizeValues(symbols),
                            numbers);
  };
  executable->thunks = made->thunks;
  executable->schedule = runtime::schedule_streams(*executable);
  auto code = std::make_shared<Code>(Code{parts_.code});
  for (const Code& of_unit : made->code) code->insert(code->end(), of_unit.begin(), of_unit.end());
  executable->code = std::move(code);
  if (parts_.keeps_memory) executable->kept_blocks = std::make_shared<runtime::KeptBlocks>(executable->outputs.size());
  bind(constants, *executable);
  if (!table_.empty()) {
    const std::lock_guard lock(mutex_);
    last_ = std::move(made);
  }
  return executable;
}

}  // namespace weft::compiler
