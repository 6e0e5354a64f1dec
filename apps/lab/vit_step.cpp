#include <apps/lab/vit_step.h>

#include <algorithm>
#include <source_location>
#include <utility>

#include <weft/nn/layers.h>
#include <weft/tensor/body.h>
#include <weft/tensor/gradient.h>

namespace weft::lab {

namespace {

struct Known {
  NamedParameter named;
  RecordedStep::Role role;
  Tensor before;
};

}  // namespace

RecordedStep record_step(const VitConfig& config, Vit& model, optim::Optimizer& optimizer, std::int64_t batch) {
  detail::Frame frame("record_step", std::source_location::current());
  std::vector<Known> all;
  for (const NamedParameter& named : named_parameters(model))
    all.push_back({named, RecordedStep::Role::parameter, named.parameter->tensor()});
  for (const NamedParameter& named : optimizer.state())
    all.push_back({named, RecordedStep::Role::state, named.parameter->tensor()});
  detail::Body body(frame.recording());
  const Tensor images = body.add_input(Type(DType::f32, {batch, config.channels, config.image, config.image}));
  const Tensor labels = body.add_input(Type(DType::i32, {batch}));
  std::vector<const Known*> updated;  // in the order of the outputs after the loss
  body.record(frame.function(), [&] {
    // A body may write its own parameters only. These get their values back.
    for (const Known& known : all) host_state.body_parameters->added(*known.named.parameter);
    std::vector<Tensor> results{nn::cross_entropy(model(images), labels)};
    optimizer.step(grad(results[0], optimizer.parameters()));
    for (const Known& known : all) {
      const Tensor now = known.named.parameter->tensor();
      if (now.shared().get() == known.before.shared().get()) continue;
      updated.push_back(&known);
      results.push_back(now);
    }
    for (const Known& known : all) known.named.parameter->reset(known.before);
    return results;
  });
  RecordedStep step{.graph = nullptr, .inputs = {{.name = "images"}, {.name = "labels"}}};
  for (const record::TensorPtr& capture : body.captures()) {
    const auto known = std::ranges::find(all, capture.get(), [](const Known& k) { return k.before.shared().get(); });
    if (known == all.end()) {
      step.inputs.push_back({.name = "number", .role = RecordedStep::Role::number, .value = Tensor(capture)});
      continue;
    }
    const auto at = std::ranges::find(updated, &*known);
    step.inputs.push_back(
        {.name = known->named.name,
         .role = known->before.rank() == 0 ? RecordedStep::Role::number : known->role,
         .value = known->before,
         .updated_by = at == updated.end() ? -1 : static_cast<std::int32_t>(at - updated.begin()) + 1});
  }
  step.graph = body.finish();
  return step;
}

}  // namespace weft::lab
