// Random functions on a few Parameters, called with new tensors, results of earlier calls, values of Parameters,
// captured tensors, or the same tensor twice. For every way to compile the function, results and Parameters are bitwise
// equal to those of the uncompiled function. Runs in strict mode, because a fused kernel may round differently.
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/weft.h>

namespace weft {
namespace {

using Tensors = std::vector<Tensor>;

struct Arguments {
  Tensors list;
  std::optional<Tensor> more;
  bool flag = false;
  void fields(auto&& field) {
    field("list", list);
    field("more", more);
    field("flag", flag);
  }
};

struct State {
  Parameter parameters[3];
  Scalar scale = 0.5;
  Tensor captured;
};

// The operands of an instruction: some of the tensors so far, and of the parameters.
struct Operands {
  const Tensor &a, &b;
  Parameter &p, &q;
  State& state;
  bool flag;
};

// Returns a new tensor, or nullopt if the instruction changes parameters.
using Instruction = std::optional<Tensor> (*)(const Operands&);
constexpr std::size_t with_gradients = 3;  // the last ones in the list
const Instruction instructions[] = {
    [](const Operands& o) { return std::optional(o.a + o.b); },
    [](const Operands& o) { return std::optional(tanh(o.a * o.b)); },
    [](const Operands& o) { return std::optional(o.a * o.state.scale); },
    [](const Operands& o) { return std::optional(transpose(o.a)); },
    [](const Operands& o) { return std::optional(reshape(o.a, o.a.shape())); },
    [](const Operands& o) { return std::optional(o.a * o.state.captured); },
    [](const Operands& o) { return std::optional(o.flag ? abs(o.a) : o.b); },
    [](const Operands& o) { return std::optional(o.a + rand({4, 1})); },
    [](const Operands& o) { return std::optional(o.p.tensor()); },
    [](const Operands& o) {
      const Tensor start[] = {o.a};
      return std::optional(for_loop(2, start, [&](const Tensor&, const Tensors& v) { return Tensors{v[0] * o.p}; })[0]);
    },
    [](const Operands& o) { return o.p = o.a, std::optional<Tensor>(); },
    [](const Operands& o) { return o.p = o.q, std::optional<Tensor>(); },
    [](const Operands& o) { return o.p = o.q.tensor(), std::optional<Tensor>(); },
    [](const Operands& o) { return std::swap(o.p, o.q), std::optional<Tensor>(); },
    [](const Operands& o) { return o.p = o.p * 0.5 + o.a * 0.25, std::optional<Tensor>(); },
    [](const Operands& o) { return std::optional(tanh(grad(sum(o.a * o.b + o.p), o.a))); },
    [](const Operands& o) { return std::optional(tanh(grad(sum(o.p * o.a * o.q + o.b), o.p))); },
    [](const Operands& o) { return o.p = o.p - 0.01 * grad(sum(o.a * o.p), o.p), std::optional<Tensor>(); },
};

class RandomFunction {
 public:
  RandomFunction(unsigned seed, bool breaks) : seed_(seed), breaks_(breaks) {
    std::mt19937 draw(seed);
    // Gradients need values that were read earlier to be still held, including old values of parameters.
    const std::size_t choice = std::size(instructions) - (breaks ? with_gradients : 0);
    for (int i = 0; i < 8; ++i) steps_.push_back({draw() % choice, draw(), draw(), draw(), draw()});
    for (int i = 0; i < 3; ++i) results_.push_back(draw());
  }

  // Returns the elements of all results and parameters of some calls; most are read only after the last call.
  std::vector<std::vector<float>> play(const CompileOptions& options, Stance stance = Stance::standard) const {
    const StanceScope scope(stance);
    clear_graph_cache();
    manual_seed(seed_);
    State state{.parameters = {random(1), random(2), random(3)}, .captured = random(4)};
    sync();
    const auto function = compile([&](const Arguments& arguments) { return run(state, arguments); }, options);
    std::mt19937 draw(seed_ + 1);
    Tensors kept;
    std::vector<std::vector<float>> bits;
    for (unsigned call = 0; call < 10; ++call) {
      Arguments arguments;
      const auto argument = [&]() -> Tensor {
        switch (draw() % 6) {
          case 0: return kept.empty() ? state.captured : kept[draw() % kept.size()];
          case 1: return state.parameters[draw() % 3];
          case 2: return arguments.list.empty() ? state.captured : arguments.list[0];
          default: return random(10 * call + static_cast<unsigned>(arguments.list.size()) + 5);
        }
      };
      for (unsigned i = 0; i < (call < 5 ? 2 : 1 + draw() % 3); ++i) arguments.list.push_back(argument());
      if (draw() % 4 == 0) arguments.more = argument();
      arguments.flag = draw() % 4 == 0;
      if (call % 4 == 3) state.scale = 0.1 * call;
      for (const Tensor& result : function(arguments)) {
        if (draw() % 3 == 0) bits.push_back(result.to_vector<float>());
        kept.push_back(result);
      }
      if (draw() % 4 == 0) state.parameters[draw() % 3] = random(call + 500);
    }
    for (const Tensor& result : kept) bits.push_back(result.to_vector<float>());
    for (const Parameter& parameter : state.parameters) bits.push_back(parameter.tensor().to_vector<float>());
    return bits;
  }

 private:
  struct Step {
    std::size_t instruction;
    unsigned long a, b, p, q;
  };

  static Tensor random(unsigned key) { return random::normal(random::Key(key), {4, 4}); }

  Tensors run(State& state, const Arguments& arguments) const {
    Tensors values = arguments.list;
    if (arguments.more) values.push_back(*arguments.more);
    const auto at = [&](unsigned long i) { return values[i % values.size()]; };
    for (const Step& step : steps_) {
      const Tensor a = at(step.a), b = at(step.b);
      Parameter &p = state.parameters[step.p % 3], &q = state.parameters[step.q % 3];
      if (auto made = instructions[step.instruction]({a, b, p, q, state, arguments.flag})) values.push_back(*made);
      if (breaks_ && &step == &steps_[4] && mean(a).item() > 0) values.push_back(b * 2);
    }
    Tensors results;
    for (const unsigned long i : results_) results.push_back(at(i));
    return results;
  }

  unsigned seed_;
  bool breaks_;
  std::vector<Step> steps_;
  std::vector<unsigned long> results_;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(
      a, b, [](float x, float y) { return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0; });
}

TEST(RandomAliases, HaveTheBitsOfEagerInEveryWay) {
  const knobs::Override strict{knobs::strict, true};
  const CompileOptions ways[] = {{.recompile_limit = 64},
                                 {.dynamic = Dynamic::on, .recompile_limit = 64},
                                 {.dynamic = Dynamic::off, .recompile_limit = 64},
                                 {.mode = Mode::reduce_overhead, .recompile_limit = 64},
                                 {.recompile_limit = 64, .activation_memory_bytes = 300},
                                 {.recompile_limit = 64, .check_replays = true}};
  for (unsigned seed = 0; seed < 36; ++seed) {
    const RandomFunction function(seed, seed % 4 == 0);
    const auto want = function.play({}, Stance::force_eager), got = function.play(ways[seed % std::size(ways)]);
    EXPECT_TRUE(std::ranges::equal(got, want, same_bits)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft
