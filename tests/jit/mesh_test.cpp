// Training steps on a mesh: the same numbers as on one device, for every layout that people use.
#include <weft/record/mesh.h>

#include <cmath>
#include <functional>
#include <tests/error_of.h>
#include <tests/jit/compile.h>

#include <weft/base/knobs.h>
#include <weft/record/session.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/parallel.h>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Mlp {
  nn::Linear up{8, 16}, down{16, 4};
  Tensor operator()(const Tensor& x) const { return down(gelu(up(x))); }
  void fields(auto&& field) {
    field("up", up);
    field("down", down);
  }
};

struct Weight {
  Parameter weight = Parameter(ones({256, 256}));
  void fields(auto&& field) { field("weight", weight); }
};

struct Named {
  const char* name;
  nn::Linear linear{8, 4};
  void fields(auto&& field) { field(name, linear); }
};

Tensor batch_of(int step, std::int64_t rows, std::int64_t columns) {
  std::vector<float> numbers(rows * columns);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>((i * 37 + static_cast<std::size_t>(step) * 11) % 101) / 50 - 1;
  return from_bytes(std::as_bytes(std::span(numbers)), Type(DType::f32, {rows, columns}));
}

class OnMesh : public Compile {
 protected:
  ~OnMesh() override { record::session.mesh = nullptr; }

  struct Run {
    std::vector<double> losses;
    std::map<std::string, std::vector<float>> parameters;
  };
  using Prepare = std::function<void(Mlp&, optim::AdamW&)>;

  // Trains for some steps; `prepare` shards the model and the optimizer's state.
  Run train(const std::optional<Mesh>& mesh, const Prepare& prepare, const PartitionSpec& of_batch = "data") {
    manual_seed(3);
    Mlp model;
    optim::AdamW optimizer(model, {.lr = 1e-2});
    if (prepare) prepare(model, optimizer);
    auto step = compile(
        [&](const Tensor& input, const Tensor& target) {
          ++runs;
          const Tensor loss = mean(square(model(input) - target));
          optimizer.step(grad(loss, optimizer.parameters()));
          return loss;
        },
        {.mesh = mesh});
    Run run;
    for (int i = 0; i < 5; ++i) {
      Tensor input = batch_of(i, 8, 8), target = batch_of(i + 50, 8, 4);
      if (mesh) input = input.sharded(of_batch, *mesh), target = target.sharded(of_batch, *mesh);
      run.losses.push_back(step(input, target).item());
    }
    for (const auto& [name, parameter] : named_parameters(model)) {
      run.parameters[name] = parameter->tensor().to_vector<float>();
      last_shardings[name] = sharding_of(parameter->tensor());
    }
    for (const auto& [name, parameter] : optimizer.state()) last_shardings[name] = sharding_of(parameter->tensor());
    return run;
  }

  void expect_near(const Run& a, const Run& b) {
    for (std::size_t i = 0; i < a.losses.size(); ++i) EXPECT_NEAR(a.losses[i], b.losses[i], 1e-5) << "step " << i;
    for (const auto& [name, values] : a.parameters)
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(values[i], b.parameters.at(name)[i], 1e-4) << name << ' ' << i;
  }

  std::string sharding(const std::string& name) const {
    return last_shardings.at(name) ? concat(*last_shardings.at(name)) : "one device";
  }

  std::map<std::string, std::optional<Sharding>> last_shardings;
};

TEST_F(OnMesh, DataParallelTrainingGivesTheNumbersOfOneDevice) {
  const Run one = train(std::nullopt, nullptr);
  runs = 0;
  const Run four = train(Mesh{{"data", 4}}, nullptr);
  EXPECT_EQ(runs, 1) << "the step is recorded once";
  expect_near(four, one);
  EXPECT_EQ(sharding("up.weight"), "[{}, {}]");
}

TEST_F(OnMesh, LayoutsGiveTheNumbersOfOneDevice) {
  const Run one = train(std::nullopt, nullptr);
  const Mesh data{{"data", 4}}, both{{"data", 2}, {"model", 2}};
  const auto zero1 = [&](Mlp&, optim::AdamW& optimizer) { shard(optimizer, zero::over("data"), data); };
  runs = 0;
  expect_near(train(data, zero1), one);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(sharding("up.weight"), "[{}, {}]");
  EXPECT_EQ(sharding("up.weight.exp_avg"), "[{\"data\"}, {}]");

  const auto fsdp = [&](Mlp& model, optim::AdamW& optimizer) {
    shard(model, zero::over("data"), data);
    shard(optimizer, zero::over("data"), data);
  };
  expect_near(train(data, fsdp), one);
  EXPECT_EQ(sharding("down.weight"), "[{\"data\"}, {}]");

  const auto tensor_parallel = [&](Mlp& model, optim::AdamW& optimizer) {
    const std::vector<ShardingPattern> patterns{
        {"up.weight*", {"model", ""}}, {"up.bias*", "model"}, {"down.weight*", {"", "model"}}};
    shard(model, patterns, both);
    shard(optimizer, patterns, both);
  };
  runs = 0;
  expect_near(train(both, tensor_parallel), one);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(sharding("up.weight"), "[{\"model\"}, {}]");
  EXPECT_EQ(sharding("down.weight.exp_avg_sq"), "[{}, {\"model\"}]");
}

TEST_F(OnMesh, DividedStateIsNeverWholeOnADevice) {
  const Mesh mesh{{"data", 8}};
  runtime::CpuDevice own;
  runtime::Device& before = device();
  set_device(own);
  {
    Weight model;
    shard(model, {{"*", PartitionSpec{}}}, mesh);
    optim::AdamW optimizer(model, {.lr = 1e-2});
    shard(optimizer, zero::over("data"), mesh);
    synchronize();
    constexpr std::uint64_t whole = 256 * 256 * sizeof(float);
    EXPECT_LT(own.stats().peak_bytes_in_use, 8 * whole + 3 * whole)
        << "each device has the whole weight, and its part of both states";
    EXPECT_EQ(concat(*sharding_of(optimizer.state()[1].parameter->tensor())), "[{\"data\"}, {}]");
  }
  set_device(before);
}

TEST_F(OnMesh, ExplanationsTellWhatDevicesSendAndWhy) {
  Mlp model;
  const Mesh mesh{{"data", 4}};
  const auto f =
      compile(mesh, [&](const Tensor& input) { return grad(sum(model(input)), {model.up.weight.tensor()})[0]; });
  (void)f(batch_of(0, 8, 8).sharded("data", mesh));
  const Explanation told = f.explain();
  EXPECT_EQ(told.devices(), "4 devices (data=4): 1 all_reduce; each device sends 768 B");
  EXPECT_THAT(told.text(), HasSubstr("all_reduce along data: each device sends 768 B, 2 x 3/4 of tensor<"));
  EXPECT_THAT(told.text(), HasSubstr("needs the sum of what each device computes in dot_general at"));
  EXPECT_THAT(told.text(), testing::AnyOf(HasSubstr("; minimal: "), HasSubstr("predicted exposed")))
      << "what would remove it";
  EXPECT_THAT(f.explain({.remedies = false}).text(),
              testing::AllOf(HasSubstr("each device sends 768 B"), testing::Not(HasSubstr("; minimal: ")),
                             testing::Not(HasSubstr("predicted exposed"))));
  EXPECT_EQ(told.programs.front().phases.front().name, "divide");
}

TEST_F(OnMesh, GuardsTellShardingsApart) {
  const Mesh mesh{{"data", 4}};
  const auto f = compile(mesh, [&](const Tensor& input) {
    ++runs;
    return input * 2;
  });
  const Tensor whole = batch_of(0, 8, 8), rows = whole.sharded("data", mesh),
               columns = whole.sharded({"", "data"}, mesh);
  for (int i = 0; i < 2; ++i)
    for (const Tensor& input : {whole, rows, columns})
      EXPECT_EQ(f(input).to_vector<float>(), (whole * 2).to_vector<float>());
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(concat(*sharding_of(f(columns))), "[{}, {\"data\"}]");
  EXPECT_EQ(runs, 3);
}

TEST_F(OnMesh, OperationsBeforeACallStayOnOneDevice) {
  const Mesh mesh{{"data", 4}};
  const auto doubled = compile(mesh, [](const Tensor& input) { return input.sharded("data") * 2; });
  for (int i = 0; i < 2; ++i) {
    const Tensor made = arange(8) + i, result = doubled(made);
    EXPECT_FALSE(sharding_of(made)) << "call " << i;
    EXPECT_EQ(concat(*sharding_of(result)), "[{\"data\"}]");
    EXPECT_EQ(result.to_vector<float>(), (made * 2).to_vector<float>());
  }
}

TEST_F(OnMesh, ACallWithinAnotherFunctionIsPartOfIt) {
  const Mesh mesh{{"data", 4}};
  const auto inner = compile(mesh, [](const Tensor& input) { return input.sharded("data") + 1; });
  const auto outer = compile([&](const Tensor& input) { return inner(input * 2) * 3; });
  const Tensor result = outer(batch_of(0, 8, 2));
  EXPECT_EQ(concat(*sharding_of(result)), "[{\"data\"}, {}]");
  EXPECT_EQ(result.to_vector<float>(), ((batch_of(0, 8, 2) * 2 + 1) * 3).to_vector<float>());
}

TEST_F(OnMesh, AMeshThatIsSetLaterIsUsed) {
  const auto doubled = compile([](const Tensor& input) { return input * 2; });
  EXPECT_FALSE(sharding_of(doubled(x)));
  set_mesh(Mesh{{"data", 4}});
  EXPECT_EQ(concat(*sharding_of(doubled(x))), "[{}]");
  set_mesh(Mesh{{"data", 2}});
  EXPECT_EQ(doubled(x).to_vector<float>(), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(sharding_of(doubled(x))->mesh().devices(), 2);
}

// Both functions run one program, which was compiled for the first one.
TEST_F(OnMesh, AnExplanationHasTheNamesOfItsOwnFunction) {
  const Mesh mesh{{"data", 4}};
  const auto explained = [&](const char* name) {
    Named model{name};
    shard(model, zero::over("data"), mesh);
    const auto step = compile(mesh, [&](const Tensor& input) { return model.linear(input); });
    (void)step(batch_of(0, 8, 8).sharded("data", mesh));
    return step.explain();
  };
  const Explanation first = explained("first"), second = explained("second");
  EXPECT_EQ(first.compiles, 1);
  EXPECT_EQ(second.compiles, 0) << "the functions have one program";
  EXPECT_THAT(first.programs.front().collectives, testing::Contains(HasSubstr("first.weight")));
  EXPECT_THAT(second.programs.front().collectives, testing::Contains(HasSubstr("second.weight")));
  EXPECT_THAT(second.programs.front().collectives, testing::Each(testing::Not(HasSubstr("parameter first"))));
}

// Each size is divided again, but needs no other kernels; only sizes of a few elements are known to kernels.
TEST_F(OnMesh, MarkedSizesHaveTheirOwnProgramsAndOneSetOfKernels) {
  const Mesh mesh{{"data", 4}};
  const nn::Linear linear(8, 4);
  const auto step = [&](const Tensor& input) { return sum(square(linear(input))); };
  const auto on_mesh = compile(mesh, step), on_one = compile(step);
  for (const std::int64_t rows : {160, 320, 240}) {
    const Tensor input = batch_of(0, rows, 8), parts = input.sharded("data", mesh);
    mark_dynamic(parts, 0, {.name = "batch", .max = 320});
    EXPECT_NEAR(on_mesh(parts).item(), on_one(input).item(), 1e-4) << rows;
  }
  const Explanation told = on_mesh.explain();
  EXPECT_EQ(told.compiles, 3u);
  EXPECT_EQ(told.programs.size(), 3u);
  for (const Explanation::Program& program : told.programs)
    EXPECT_EQ(program.distinct_kernels, told.programs[0].distinct_kernels);
  EXPECT_GE(std::ranges::count(told.programs, 0u, &Explanation::Program::compiled_kernels), 2);
  const Tensor many = batch_of(0, 400, 8).sharded("data", mesh);
  EXPECT_THAT(error_of([&] { (void)on_mesh(many); }), HasSubstr("batch"));
  EXPECT_THAT(error_of([&] { (void)batch_of(0, 10, 8).sharded("data", mesh); }), HasSubstr("8 and 12"));
}

TEST_F(OnMesh, OptionsThatNeedManySizesAreRefused) {
  const auto refused = [&](CompileOptions options) {
    options.mesh = Mesh{{"data", 2}};
    return error_of([&] { (void)compile([](const Tensor& input) { return input; }, options); });
  };
  EXPECT_THAT(refused({.dynamic = Dynamic::on}), HasSubstr("a mesh contradicts dynamic on"));
}

// Each device draws only the bits of its own rows, which are those of one device.
TEST_F(OnMesh, RandomNumbersAreThoseOfOneDevice) {
  const Mesh mesh{{"data", 4}};
  const auto draw = [](const Tensor& input) {
    return dropout(random::Key(7), input, 0.5) + random::uniform(random::Key(8), input.shape());
  };
  const Tensor input = batch_of(0, 8, 8);
  const auto on_mesh = compile(mesh, draw);
  EXPECT_EQ(on_mesh(input.sharded("data", mesh)).to_vector<float>(), compile(draw)(input).to_vector<float>());
  EXPECT_EQ(on_mesh.explain().devices(), "4 devices (data=4): no communication");
}

TEST_F(OnMesh, TheInterpreterAgrees) {
  const record::BackendScope interpreter(record::Backend::interpreter);
  const Run one = train(std::nullopt, nullptr);
  expect_near(train(Mesh{{"data", 2}}, nullptr), one);
}

TEST_F(OnMesh, BitsDependOnTheMeshAlone) {
  const Mesh mesh{{"data", 4}};
  const Run first = train(mesh, nullptr);
  const Run again = train(mesh, nullptr);
  EXPECT_EQ(first.losses, again.losses);
  EXPECT_EQ(first.parameters, again.parameters);
}

// How collectives are joined and hidden, on how many threads, changes no bit; steps run ahead of each other meanwhile.
TEST_F(OnMesh, NoBitDependsOnHowDevicesCommunicate) {
  const Mesh mesh{{"data", 4}};
  const auto zero = [&](Mlp&, optim::AdamW& optimizer) { shard(optimizer, zero::over("data"), mesh); };
  const auto fsdp = [&](Mlp& model, optim::AdamW& optimizer) {
    shard(model, zero::over("data"), mesh);
    shard(optimizer, zero::over("data"), mesh);
  };
  const int threads = runtime::thread_count();
  for (const Prepare& prepare : {Prepare(), Prepare(zero), Prepare(fsdp)}) {
    const Run first = train(mesh, prepare);
    for (const bool overlap : {false, true})
      for (const char* buckets : {"chosen", "one", "none"})
        for (const int workers : {1, 2, 7}) {
          const knobs::Override overlaps(knobs::overlap, overlap);
          const knobs::Override joins(knobs::buckets, buckets);
          const knobs::Override link(knobs::link, workers == 1 ? "" : "latency_us=200,gb_s=1");
          runtime::set_thread_count(workers);
          const Run again = train(mesh, prepare);
          EXPECT_EQ(first.losses, again.losses) << overlap << ' ' << buckets << ' ' << workers;
          EXPECT_EQ(first.parameters, again.parameters) << overlap << ' ' << buckets << ' ' << workers;
        }
  }
  runtime::set_thread_count(threads);
}

}  // namespace
}  // namespace weft
