// Collectives of the interpreter: the groups in which processes meet, the data that they exchange, and the results.
#include <algorithm>
#include <exception>
#include <thread>

#include <weft/ir/interpreter/fold.h>
#include <weft/ir/interpreter/process.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/interpreter/view.h>
#include <weft/ir/ops.h>
#include <weft/ir/several_devices.h>

namespace weft::ir::interpreter {

namespace {

constexpr std::size_t nowhere = -1;

std::vector<ProcessGroup> all_groups(const NodeCall& call) {
  return groups_of(call.node, call.context.grid->replicas(), call.context.grid->partitions());
}

// Returns the group that contains this process, empty if there is none.
ProcessGroup my_group(const NodeCall& call) {
  for (ProcessGroup& group : all_groups(call))
    if (std::ranges::find(group, call.context.process) != group.end()) return std::move(group);
  return {};
}

// The offers of the processes of a group, and the position of this process among them.
struct Met {
  std::shared_ptr<const std::vector<ProcessGrid::Offer>> offers;
  std::size_t me;

  // Returns operand `i` of every process.
  std::vector<const Array*> all(std::size_t i) const {
    std::vector<const Array*> arrays;
    for (const auto& offer : *offers) arrays.push_back(&offer[i]);
    return arrays;
  }
};

Met meet(const NodeCall& call, const ProcessGroup& group) {
  require(!group.empty(), call.node.op->name, ": ", call.context.process, " is in no group");
  ProcessGrid::Offer offer;
  for (const Array* operand : call.operands) offer.push_back(*operand);
  const auto offers = call.context.grid->meet(call.node.op->name, call.attributes<CollectiveAttributes>().channel,
                                              group, call.context.process, std::move(offer));
  for (const auto& other : *offers)
    require(std::ranges::equal(other, call.operands, {}, &Array::type, &Array::type), call.node.op->name,
            ": the processes bring operands of different types");
  return {offers, static_cast<std::size_t>(std::ranges::find(group, call.context.process) - group.begin())};
}

Met meet(const NodeCall& call) { return meet(call, my_group(call)); }

// Folds the arrays into the first one, element by element and in order.
Array reduced(const NodeCall& call, std::span<const Array* const> arrays) {
  std::vector<Pair> pairs;
  for (std::int64_t i = 0; i < arrays[0]->size(); ++i) pairs.push_back({i, i});
  Fold fold(*call.node.regions[0], one(*arrays[0]), call.context);
  for (const Array*& array : std::vector(arrays.begin() + 1, arrays.end())) fold.add(std::span(&array, 1), pairs);
  return std::move(fold.finish()[0]);
}

// Returns part `index` of `count` parts along a dimension.
Array part(const Array& x, std::int64_t dimension, std::int64_t count, std::int64_t index) {
  View from = whole(x.type());
  const std::size_t d = dimension;
  require(from.sizes[d] % count == 0, "dimension ", dimension, " of ", x.type(), " cannot be split into ", count,
          " parts");
  from.sizes[d] /= count;
  from.offset = index * from.sizes[d] * from.strides[d];
  std::vector<Dim> dims(x.type().dims().begin(), x.type().dims().end());
  dims[d] = from.sizes[d];
  Array result(Type(x.dtype(), dims));
  copy(x, from, result, whole(result.type()));
  return result;
}

// Checks the types of the results. They depend on the number of processes that met, which the type rule could not know.
std::vector<Array> checked(const NodeCall& call, std::vector<Array> results) {
  for (std::size_t i = 0; i < results.size(); ++i)
    require(results[i].type() == call.node.types[i], call.node.op->name, ": the result is ", results[i].type(),
            ", not ", call.node.types[i], ", for this number of processes");
  return results;
}

// ---------------------------------------------------------------------------------------------------------------------
// Transfers. Tokens carry no data, because nodes run in order.

Array token() { return Array(Type(DType::token, {})); }

// Returns the arrays followed by a token: the results of an op that receives data.
std::vector<Array> received(const NodeCall& call, std::vector<Array> arrays) {
  arrays.push_back(token());
  require(std::ranges::equal(arrays, call.node.types, {}, &Array::type), call.node.op->name,
          ": the received types differ from the result types");
  return arrays;
}

ProcessGrid::Offer without_token(const NodeCall& call) {
  ProcessGrid::Offer offer;
  for (const Array* operand : call.operands.first(call.operands.size() - 1)) offer.push_back(*operand);
  return offer;
}

// ---------------------------------------------------------------------------------------------------------------------
// A grid of processes

class Parallel {
 public:
  explicit Parallel(const NodeCall& call)
      : call_(call),
        partitions_(call.attributes<RunParallelAttributes>().partitions),
        infeeds_(call.attributes<RunParallelAttributes>().infeeds),
        programs_(call.node.regions.subspan(infeeds_)),
        grid_(std::ssize(programs_) / partitions_, partitions_, run_infeeds()),
        results_(programs_.size()),
        errors_(programs_.size()) {}

  std::vector<Array> run() {
    std::vector<std::thread> threads;
    std::size_t operand = 0;
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      const auto inputs = call_.operands.subspan(operand, programs_[i]->inputs().size());
      operand += inputs.size();
      threads.emplace_back([this, i, inputs] { run_process(i, inputs); });
    }
    for (std::thread& thread : threads) thread.join();
    if (first_error_ != nowhere) std::rethrow_exception(errors_[first_error_]);
    std::vector<Array> all;
    for (std::vector<Array>& results : results_)
      for (Array& array : results) all.push_back(std::move(array));
    return all;
  }

 private:
  std::vector<std::vector<Array>> run_infeeds() const {
    std::vector<std::vector<Array>> given;
    for (const Graph* program : call_.node.regions.first(infeeds_))
      given.push_back(interpreter::run(*program, {}, call_.context));
    return given;
  }

  void run_process(std::size_t i, std::span<const Array* const> inputs) {
    Context context = call_.context;
    context.grid = &grid_;
    context.process = {static_cast<std::int64_t>(i) / partitions_, static_cast<std::int64_t>(i) % partitions_};
    try {
      results_[i] = interpreter::run(*programs_[i], inputs, context);
      grid_.finish();
    } catch (const std::exception& error) {
      // The first process to fail gives the reason; it stops the others.
      const std::lock_guard lock(mutex_);
      errors_[i] = std::current_exception();
      if (first_error_ == nowhere) first_error_ = i;
      grid_.fail(concat("stopped, because ", context.process, " failed: ", error.what()));
    }
  }

  const NodeCall& call_;
  const std::int64_t partitions_;
  const std::size_t infeeds_;
  const std::span<const Graph* const> programs_;
  ProcessGrid grid_;
  std::vector<std::vector<Array>> results_;  // by process
  std::mutex mutex_;
  std::vector<std::exception_ptr> errors_;
  std::size_t first_error_ = nowhere;
};

}  // namespace

std::vector<Array> all_gather(const NodeCall& call) {
  const Met met = meet(call);
  std::vector<Array> results;
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    results.push_back(concatenated(met.all(i), call.attributes<CollectiveAttributes>().dimension));
  return checked(call, std::move(results));
}

std::vector<Array> all_reduce(const NodeCall& call) {
  const Met met = meet(call);
  std::vector<Array> results;
  for (std::size_t i = 0; i < call.operands.size(); ++i) results.push_back(reduced(call, met.all(i)));
  return results;
}

std::vector<Array> reduce_scatter(const NodeCall& call) {
  const Met met = meet(call);
  std::vector<Array> results;
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    results.push_back(part(reduced(call, met.all(i)), call.attributes<CollectiveAttributes>().dimension,
                           std::ssize(*met.offers), met.me));
  return checked(call, std::move(results));
}

std::vector<Array> all_to_all(const NodeCall& call) {
  const auto& a = call.attributes<CollectiveAttributes>();
  const Met met = meet(call);
  require(met.offers->size() == static_cast<std::size_t>(a.split_count), "all_to_all: ", met.offers->size(),
          " processes meet to exchange ", a.split_count, " parts");
  std::vector<Array> results;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    std::vector<Array> parts;
    for (const Array* operand : met.all(i)) parts.push_back(part(*operand, a.dimension, a.split_count, met.me));
    results.push_back(concatenated(pointers(parts), a.concat_dimension));
  }
  return results;
}

std::vector<Array> manual_computation(const NodeCall& call) {
  if (!is_of_one_device(call.node)) refuse_several_devices(call.node);
  return interpreter::run(*call.node.regions[0], call.operands, call.context);
}

// Returns the position of the root in its group: the first process, or the one that the last operand gives for this operand.
std::size_t root_of(const NodeCall& call, const ProcessGroup& group, std::size_t operand) {
  if (!call.attributes<CollectiveAttributes>().has_dynamic_root) return 0;
  const double root = call.operands.back()->element(operand);
  require(root >= 0 && root < group.size(), call.node.op->name, ": there is no root ", root, " in a group of ",
          group.size());
  return static_cast<std::size_t>(root);
}

std::vector<Array> collective_broadcast(const NodeCall& call) {
  const ProcessGroup group = my_group(call);
  std::vector<Array> results;
  for (const Type type : call.node.types) results.emplace_back(type);
  if (group.empty()) return results;
  const Met met = meet(call, group);
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = (*met.offers)[root_of(call, group, i)][i];
  return results;
}

std::vector<Array> collective_reduce(const NodeCall& call) {
  const ProcessGroup group = my_group(call);
  std::vector<Array> results;
  for (const Type type : call.node.types) results.emplace_back(type);
  if (group.empty()) return results;
  const Met met = meet(call, group);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (met.me == root_of(call, group, i)) results[i] = reduced(call, met.all(i));
  return results;
}

// Each pair meets separately, in the order of the list, which is the same for all processes.
std::vector<Array> collective_permute(const NodeCall& call) {
  const ProcessId me = call.context.process;
  std::vector<Array> result = one(Array(call.type()));
  for (ProcessGroup& pair : all_groups(call)) {
    const bool receives = pair[1] == me;
    if (!receives && pair[0] != me) continue;
    if (pair[0] == pair[1]) pair.pop_back();
    const Met met = meet(call, pair);
    if (receives) result = met.offers->front();
  }
  return result;
}

std::vector<Array> process_number(const NodeCall& call) {
  const ProcessId me = call.context.process;
  return one(Array::scalar<std::uint32_t>(call.node.op == &ops::replica_id ? me.replica : me.partition));
}

std::vector<Array> send(const NodeCall& call) {
  call.context.grid->send(call.attributes<TransferAttributes>().channel, without_token(call));
  return one(token());
}

std::vector<Array> recv(const NodeCall& call) {
  return received(call, call.context.grid->receive(call.attributes<TransferAttributes>().channel));
}

std::vector<Array> infeed(const NodeCall& call) { return received(call, call.context.grid->infeed()); }

std::vector<Array> outfeed(const NodeCall&) { return one(token()); }  // nobody reads the outfeed

std::vector<Array> run_parallel(const NodeCall& call) { return Parallel(call).run(); }

}  // namespace weft::ir::interpreter
