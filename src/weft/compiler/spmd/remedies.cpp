#include <weft/compiler/spmd/remedies.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <weft/base/error.h>
#include <weft/base/process.h>
#include <weft/compiler/spmd/buckets.h>
#include <weft/compiler/spmd/describe_division.h>
#include <weft/compiler/spmd/predict.h>
#include <weft/compiler/spmd/replicated_state.h>
#include <weft/compiler/spmd/updated_inputs.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

constexpr std::size_t most_trials = 16, most_remedies = 3;

// Inputs that get other shardings, and the change in words.
struct Change {
  std::string text;
  std::map<std::size_t, ir::Sharding> inputs;
  bool frees_outputs =
      false;  // whether results, except for the new values of inputs, are sharded as the data flow decides
};

struct Trial {
  std::string text;
  PredictedStep step;
  std::map<std::string, double> sent;  // bytes, by the collective and what makes and needs the tensor
};

std::string key(const Division::Collective& c) { return concat(c.name, " / ", c.made, " / ", c.needed); }

std::map<std::string, double> sent_by(const Division& division) {
  std::map<std::string, double> sent;
  for (const Division::Collective& c : division.collectives) sent[key(c)] += c.sent_bytes;
  return sent;
}

bool is_whole(const ir::Sharding& sharding) {
  for (int d = 0; d < sharding.rank(); ++d)
    if (!sharding.axes(d).empty()) return false;
  return true;
}

// Returns the sharding split along one axis more, in a dimension that divides; nullopt if it does not.
std::optional<ir::Sharding> split(const ir::Sharding& sharding, Type type, int d, int axis) {
  std::vector<ir::Sharding::Axes> dims = sharding.dims();
  for (const ir::Sharding::Axes& axes : dims)
    if (std::ranges::count(axes, axis) != 0) return std::nullopt;
  const std::int64_t parts = ir::devices_along(sharding.mesh(), dims[d]) * sharding.mesh().size(axis);
  if (parts == 0 || type.size(d) % parts != 0) return std::nullopt;
  dims[d].push_back(axis);
  return ir::Sharding(sharding.mesh(), std::move(dims));
}

std::string ms_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
  return text;
}

class Trials {
 public:
  Trials(const Partitioned& program, const Options& options, const NameOfInput& name_of_input)
      : program_(program),
        options_(options),
        name_of_input_(name_of_input),
        updated_(updated_inputs(*program.whole)),
        users_(program.graph->nodes().size()) {
    options_.devices = program.mesh.devices();
    // An output that is sharded otherwise than the input is not its new value: a parameter keeps its sharding from step to step.
    for (std::size_t i = 0; i < updated_.size(); ++i)
      if (updated_[i] >= 0 && program.wanted[updated_[i]] && *program.wanted[updated_[i]] != program.inputs[i])
        updated_[i] = -1;
    now_ = predict(program, options_, updated_);
    for (const ir::Node* node : program.graph->nodes())
      for (const ir::Value v : node->operands) users_[v.node->id].push_back(node);
  }

  void run() {
    change_groups();
    change_outputs();
    change_inputs();
    std::ranges::stable_sort(trials_, {},
                             [](const Trial& t) { return std::pair(t.step.exposed_seconds, t.step.seconds); });
  }

  std::vector<std::string> remedies_of(const std::string& collective, double sent) const {
    std::vector<std::string> found;
    for (const Trial& trial : trials_) {
      const auto then = trial.sent.find(collective);
      const double sent_then = then == trial.sent.end() ? 0 : then->second;
      constexpr double less = 0.99, not_more = 1.01;
      const bool helps = sent_then <= less * sent && trial.step.exposed_seconds <= less * now_.exposed_seconds;
      if (!helps || trial.step.seconds > not_more * now_.seconds) continue;
      found.push_back(
          concat(sent_then > 0 ? concat("only ", format_bytes(sent_then), " are sent for it") : "it is gone", " with ",
                 trial.text, "; in all, each device then sends ", format_bytes(trial.step.sent_bytes), " instead of ",
                 format_bytes(now_.sent_bytes), ", predicted exposed ", ms_text(trial.step.exposed_seconds),
                 " instead of ", ms_text(now_.exposed_seconds)));
      if (found.size() == most_remedies) break;
    }
    if (found.empty())
      found.push_back(
          concat("minimal: with none of ", trials_.size(),
                 " other shardings that were tried, less is sent for it and less communication is exposed"));
    return found;
  }

 private:
  Type type_of(std::size_t input) const { return program_.whole->inputs()[input].type(); }

  // State of an optimizer and parameters, all of them at once: what ZeRO changes.
  void change_groups() {
    const std::vector<char> computes = used_as_whole(*program_.whole);
    Change whole{.text = "parameters and optimizer's state whole on every device", .inputs = {}};
    for (int axis = 0; axis < std::ssize(program_.mesh.axes()); ++axis) {
      if (program_.mesh.size(axis) == 1) continue;
      const std::string& name = program_.mesh.axes()[axis].name;
      Change state{.text = concat("the optimizer's state divided along ", name, " (ZeRO-1)"), .inputs = {}},
          all{.text = concat("parameters and optimizer's state divided along ", name, " (ZeRO-3)"), .inputs = {}};
      for (std::size_t i = 0; i < updated_.size(); ++i) {
        if (updated_[i] < 0 || !is_float(type_of(i).dtype())) continue;
        const ir::Sharding& now = program_.inputs[i];
        if (!is_whole(now)) whole.inputs.emplace(i, ir::Sharding(now.mesh(), now.rank()));
        for (int d = 0; d < now.rank(); ++d)
          if (const auto other = split(now, type_of(i), d, axis)) {
            all.inputs.emplace(i, *other);
            if (computes[program_.whole->inputs()[i].node->id] == 0) state.inputs.emplace(i, *other);
            break;
          }
      }
      for (const Change* change : {&state, &all})
        if (!change->inputs.empty()) add(*change);
    }
    if (!whole.inputs.empty()) add(whole);
  }

  void change_outputs() {
    for (std::size_t o = 0; o < program_.wanted.size(); ++o)
      if (program_.wanted[o] && !is_new_value(o))
        return add({.text = "results held as the data flow leaves them", .inputs = {}, .frees_outputs = true});
  }

  bool is_new_value(std::size_t output) const {
    return std::ranges::find(updated_, static_cast<std::int32_t>(output)) != updated_.end();
  }

  // The inputs near a collective, for the collectives that send the most. Inputs of one type that are held alike, such as the same weight
  // of each layer, change together, as one pattern of weft::shard names them.
  void change_inputs() {
    std::vector<const Communication*> all;
    for (const Communication& c : program_.communications)
      if (c.node->graph == program_.graph.get()) all.push_back(&c);
    std::ranges::stable_sort(all, std::greater(), &Communication::sent_bytes);
    std::set<std::size_t> tried;
    for (const Communication* c : all)
      for (const std::size_t i : inputs_near(*c)) {
        if (tried.contains(i)) continue;
        const std::vector<std::size_t> alike = inputs_like(i);
        tried.insert(alike.begin(), alike.end());
        const ir::Sharding& now = program_.inputs[i];
        const auto change = [&](const ir::Sharding& to, const std::string& how) {
          Change made{.text = concat(name_of_input_(static_cast<std::int32_t>(i)), " (", type_of(i), ") ",
                                     alike.size() > 1 ? concat("and ", alike.size() - 1, " like it ") : "", how),
                      .inputs = {}};
          for (const std::size_t input : alike) made.inputs.emplace(input, to);
          add(made);
        };
        if (!is_whole(now)) change(ir::Sharding(now.mesh(), now.rank()), "whole on every device");
        for (int axis = 0; axis < std::ssize(program_.mesh.axes()); ++axis)
          for (int d = 0; d < now.rank(); ++d)
            if (const auto other = split(now, type_of(i), d, axis))
              change(*other, concat("divided along ", program_.mesh.axes()[axis].name, " in dimension ", d));
        if (trials_.size() >= most_trials) return;
      }
  }

  std::vector<std::size_t> inputs_like(std::size_t i) const {
    std::vector<std::size_t> alike;
    for (std::size_t other = 0; other < program_.inputs.size(); ++other)
      if (type_of(other) == type_of(i) && program_.inputs[other] == program_.inputs[i] &&
          (updated_[other] < 0) == (updated_[i] < 0))
        alike.push_back(other);
    return alike;
  }

  // Returns the first inputs that a search from the collective meets, along operands and users.
  std::vector<std::size_t> inputs_near(const Communication& c) const {
    constexpr std::size_t most_nodes = 200, most_inputs = 2;
    std::vector<const ir::Node*> reached{c.sent().node};
    std::set<const ir::Node*> known{c.node, c.sent().node};
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at < reached.size() && at < most_nodes && found.size() < most_inputs; ++at) {
      const ir::Node& node = *reached[at];
      if (ir::is_parameter(node)) {
        const auto i = static_cast<std::size_t>(node.attributes<ir::ParameterAttributes>().index);
        if (program_.inputs[i].rank() > 0) found.push_back(i);
        continue;
      }
      for (const ir::Value v : node.operands)
        if (known.insert(v.node).second) reached.push_back(v.node);
      for (const ir::Node* user : users_[node.id])
        if (known.insert(user).second) reached.push_back(user);
    }
    return found;
  }

  void add(const Change& change) {
    if (trials_.size() >= most_trials) return;
    std::vector<ir::Sharding> inputs = program_.inputs;
    std::vector<std::optional<ir::Sharding>> outputs = program_.wanted;
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (change.frees_outputs && !is_new_value(o)) outputs[o].reset();
    for (const auto& [i, sharding] : change.inputs) {
      inputs[i] = sharding;
      if (updated_[i] >= 0 && outputs[updated_[i]]) outputs[updated_[i]] = sharding;
    }
    const Partitioned divided = join_collectives(partition(*program_.whole, program_.mesh, inputs, outputs), options_);
    trials_.push_back({change.text, predict(divided, options_, updated_), sent_by(describe_division(divided))});
  }

  const Partitioned& program_;
  Options options_;
  const NameOfInput& name_of_input_;
  std::vector<std::int32_t> updated_;
  PredictedStep now_;
  std::vector<Trial> trials_;
  std::vector<std::vector<const ir::Node*>> users_;  // by node of the divided program
};

}  // namespace

void add_remedies(const Partitioned& program, const Options& options, const NameOfInput& name_of_input,
                  Division& division) {
  if (!program.whole || division.collectives.empty()) return;
  Trials trials(program, options, name_of_input);
  trials.run();
  const std::map<std::string, double> sent = sent_by(division);
  for (Division::Collective& c : division.collectives) c.remedies = trials.remedies_of(key(c), sent.at(key(c)));
}

}  // namespace weft::compiler
