#include <weft/compiler/thunks/row_body.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include <weft/compiler/passes/pipeline.h>
#include <weft/compiler/plan/fuse.h>
#include <weft/compiler/thunks/thunk_maker.h>
#include <weft/ir/ops.h>
#include <weft/runtime/thread_scratch.h>

namespace weft::compiler {

RowBody::RowBody(const ir::Graph& graph, const NativeContext& context)
    : inputs_(graph.inputs().size()), outputs_(graph.outputs().size()) {
  for (const auto values : {graph.inputs(), graph.outputs()})
    for (const ir::Value v : values) bytes_.push_back(v.type().bytes());
  for (std::size_t j = 0; j < outputs_; ++j) after_.push_back({inputs_ + j, replaced(j)});
  if (make_kernels(graph, context)) return;
  calls_.clear();
  before_.clear();
  bytes_.resize(inputs_ + outputs_);
  region_ = RegionProgram({std::shared_ptr<const ir::Graph>(), &graph}, context).at({});
}

bool RowBody::make_kernels(const ir::Graph& graph, const NativeContext& context) {
  Options options = context.options;
  options.observer = nullptr;
  options.tuning = Tuning::none;
  Report report;
  const std::shared_ptr<const ir::Graph> optimised = run_pipeline(graph, options, report);
  const std::vector<Unit> units = fuse(*optimised, options, ThunkMaker(options, context.nested), report);
  std::unordered_map<ir::Value, std::size_t, ir::ValueHash> places, places_of_outputs;
  for (std::size_t i = 0; i < inputs_; ++i) places.emplace(optimised->inputs()[i], i);
  for (std::size_t j = 0; j < outputs_; ++j) {
    const ir::Value value = storage_of(optimised->outputs()[j]);
    if (const auto input = places.find(value); input != places.end())
      before_.push_back({input->second, inputs_ + j});
    else if (!places_of_outputs.emplace(value, inputs_ + j).second)
      return false;  // one value for two outputs
  }
  for (const Unit& unit : units) {
    const GeneratedKernels* const kernels = unit.kernels();
    if (!kernels || kernels->loops.size() != 1) return false;
    const std::shared_ptr<const Loop>& loop = kernels->loops[0];
    // A loop refers to attributes in the graph that it was made of.
    auto keeps =
        std::make_shared<std::pair<std::shared_ptr<const ir::Graph>, std::shared_ptr<const Loop>>>(optimised, loop);
    Call call{.routine = std::make_shared<Routine>(Routine{loop.get(), loop->key(), std::move(keeps)}),
              .buffers = {},
              .parameters = SizeValues()(loop->parameters)};
    for (const ir::Value read : unit.reads) {
      const auto place = places.find(read);
      if (place == places.end()) return false;  // a stored constant
      call.buffers.push_back(place->second);
    }
    for (const ir::Value write : unit.writes) {
      const auto output = places_of_outputs.find(write);
      const std::size_t place = output == places_of_outputs.end() ? bytes_.size() : output->second;
      if (place == bytes_.size()) bytes_.push_back(write.type().bytes());
      places.emplace(write, place);
      call.buffers.push_back(place);
    }
    const LoopExtent extent = extent_of(*loop, call.parameters);
    call.tasks = extent.tasks;
    call.scratch_bytes = extent.scratch_bytes;
    calls_.push_back(std::move(call));
  }
  for (const auto& [value, place] : places_of_outputs)
    if (!places.contains(value)) return false;   // a constant
  std::erase_if(after_, [&](const Copy& copy) {  // inputs that stay as they are
    return std::erase_if(before_, [&](const Copy& same) { return same.from == copy.to && same.to == copy.from; }) != 0;
  });
  if (units.size() == 1) choose_in_place(units[0]);
  for (const Call& call : calls_) context.routines.push_back(call.routine);
  return true;
}

// Lets a single kernel write an output where the input is that it replaces, if the kernel allows that or does not read the input. With
// several kernels, a later one may still read it.
void RowBody::choose_in_place(const Unit& only) {
  std::vector<std::size_t>& buffers = calls_[0].buffers;
  const std::vector<std::size_t> before = buffers;
  const auto reads = std::span(before).first(only.reads.size());
  for (std::size_t write = 0; write < only.writes.size(); ++write) {
    const std::size_t place = reads.size() + write, output = before[place] - inputs_;
    if (output >= outputs_) continue;
    const auto may_share = [&](const auto& pair) {
      return pair.first == static_cast<int>(write) && before[pair.second] == replaced(output);
    };
    if (std::ranges::find(reads, replaced(output)) != reads.end() && std::ranges::none_of(only.in_place, may_share))
      continue;
    buffers[place] = replaced(output);
    std::erase_if(after_, [&](const Copy& copy) { return copy.from == before[place]; });
  }
}

RowBody::Runner::Runner(const RowBody& body) : body_(body), addresses_(body.bytes_.size()) {
  constexpr std::uint64_t line = 64 / sizeof(std::uint64_t);
  const auto words = [](std::uint64_t bytes) { return (bytes + 63) / 64 * line; };
  std::uint64_t size = line;
  for (std::size_t v = body.inputs_; v < body.bytes_.size(); ++v) size += words(body.bytes_[v]);
  if (body.region_) size += words(body.region_->temporary_bytes());
  memory_.resize(size);
  const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
  std::uint64_t* at = memory_.data() + (64 - start % 64) % 64 / sizeof(std::uint64_t);
  for (std::size_t v = body.inputs_; v < body.bytes_.size(); ++v) {
    addresses_[v] = reinterpret_cast<std::byte*>(at);
    at += words(body.bytes_[v]);
  }
  if (body.region_) addresses_.push_back(reinterpret_cast<std::byte*>(at));
  std::size_t most = 0;
  for (const Call& call : body.calls_) most = std::max(most, call.buffers.size());
  buffers_.resize(most);
}

void RowBody::Runner::run() {
  const auto copy = [&](const Copy& c) {
    if (const auto bytes = body_.bytes_[c.from]; bytes > 0) std::memcpy(addresses_[c.to], addresses_[c.from], bytes);
  };
  std::ranges::for_each(body_.before_, copy);
  for (const Call& call : body_.calls_) {
    const std::size_t* const values = call.buffers.data();
    for (std::size_t k = 0; k < call.buffers.size(); ++k) buffers_[k] = addresses_[values[k]];
    std::byte* const scratch = call.scratch_bytes == 0 ? nullptr : runtime::scratch_of_this_thread(call.scratch_bytes);
    reinterpret_cast<Kernel>(call.routine->address)(buffers_.data(), call.parameters.data(), 0, call.tasks, scratch);
  }
  if (body_.region_) {
    const std::span<std::byte* const> all = addresses_;
    body_.region_->run({}, {all.first(body_.inputs_), all.subspan(body_.inputs_, body_.outputs_), all.back()});
  }
  std::ranges::for_each(body_.after_, copy);
}

}  // namespace weft::compiler
