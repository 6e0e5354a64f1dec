#include <weft/optim/adam.h>

#include <weft/optim/adam_rule.h>

namespace weft::optim {

std::vector<Optimizer::Slot> Adam::slots_of(const AdamOptions& options) {
  std::vector<Slot> slots{{.name = "exp_avg"}, {.name = "exp_avg_sq"}};
  if (options.amsgrad) slots.push_back({.name = "max_exp_avg_sq"});
  return slots;
}

Adam::Adam(std::vector<NamedParameter> parameters, AdamOptions options, std::vector<Group> groups, bool decoupled_decay)
    : OptimizerWith(decoupled_decay ? "AdamW" : "Adam", std::move(parameters), options, std::move(groups),
                    slots_of(options)),
      decoupled_decay_(decoupled_decay) {
  require_option("beta1", options_.beta1, 0, 1);
  require_option("beta2", options_.beta2, 0, 1);
  require_option("epsilon", options_.epsilon);
}

Adam::Adam(std::vector<NamedParameter> parameters, AdamOptions options, std::vector<Group> groups)
    : Adam(std::move(parameters), std::move(options), std::move(groups), false) {}

AdamW::AdamW(std::vector<NamedParameter> parameters, AdamWOptions options, std::vector<Group> groups)
    : Adam(std::move(parameters),
           {options.lr, options.beta1, options.beta2, options.epsilon, options.weight_decay, std::move(options.decays),
            options.amsgrad},
           std::move(groups), true) {}

void Adam::update(std::span<Update> updates) {
  AdamRule rule(options_.beta1, options_.beta2, options_.epsilon, decoupled_decay_);
  for (Update& u : updates) rule.apply(u, u.state[0], u.state[1], u.state.size() > 2 ? &u.state[2] : nullptr);
}

}  // namespace weft::optim
