// compile(fn): what is replayed, recorded again and compiled again, and that the values equal those of the uncompiled
// function.
#include <tests/jit/compile.h>

#include <string>
#include <thread>

#include <weft/base/knobs.h>

namespace weft {
namespace {

using testing::ElementsAre;

struct TwoLayers {
  nn::Linear in{4, 8}, out{8, 1};
  std::vector<double> losses;
  void fields(auto&& field) {
    field("in", in);
    field("out", out);
  }
};

struct Dropping {
  nn::Dropout dropout{0.5};
  Parameter weight{ones({3})};
  void fields(auto&& field) {
    field("dropout", dropout);
    field("weight", weight);
  }
};

struct Weights {
  Parameter weight;
  void fields(auto&& field) { field("weight", weight); }
};

struct Batch {
  Tensor images;
  std::vector<Tensor> labels;
  std::optional<Tensor> mask;
  std::string mode = "sum";
  void fields(auto&& field) {
    field("images", images);
    field("labels", labels);
    field("mask", mask);
    field("mode", mode);
  }
};

TEST_F(Compile, IsRecordedOnceForEachTypeOfArguments) {
  const auto f = compile([&](const Tensor& a, const Tensor& b) {
    ++runs;
    return a * b + 1;
  });
  for (int i = 0; i < 3; ++i) EXPECT_THAT(f(x, y).to_vector<float>(), ElementsAre(11, 41, 91));
  EXPECT_EQ(runs, 1);
  EXPECT_THAT(f(y, x).to_vector<float>(), ElementsAre(11, 41, 91));
  EXPECT_EQ(runs, 1);
  for (int i = 0; i < 3; ++i) {  // alternate between known types
    EXPECT_THAT(f(longer, longer).to_vector<float>(), ElementsAre(2, 5, 10, 17));
    EXPECT_THAT(f(x, x).to_vector<float>(), ElementsAre(2, 5, 10));
  }
  EXPECT_THAT(f(longer, tensor({0.f, 1.f, 0.f, 1.f})).to_vector<float>(), ElementsAre(1, 3, 1, 5));
  EXPECT_EQ(counts(f), Counts(2, 2));
}

TEST_F(Compile, TrainsAsThePlainFunctionDoesBitForBit) {
  const auto train = [&](bool compiled) {
    manual_seed(7);
    TwoLayers run;
    optim::AdamW optimizer(run, {.lr = 0.01});
    const auto step = [&](const Tensor& inputs, const Tensor& targets) {
      const Tensor hidden = dropout(relu(run.in(inputs)), 0.1);
      const Tensor loss = nn::mse_loss(run.out(hidden), targets);
      optimizer.step(grad(loss, optimizer.parameters()));
      return loss;
    };
    const auto fast = compile(step, {.fullgraph = true, .name = "step"});
    for (int i = 0; i < 20; ++i) {
      optimizer.set_lr(0.01 / (i + 1));
      const Tensor inputs = randn({16, 4}), targets = sum(inputs, 1, true);
      sync();
      const Tensor loss = compiled ? fast(inputs, targets) : step(inputs, targets);
      sync();
      run.losses.push_back(loss.item());
    }
    // the uncompiled run compiled it
    EXPECT_EQ(counts(fast), compiled ? Counts(1, 0) : Counts(0, 0)) << fast.explain();
    for (const auto& [name, value] : state_dict(run))
      for (const float number : value.to_vector<float>()) run.losses.push_back(number);
    return run.losses;
  };
  const auto plain = train(false), replayed = train(true);
  EXPECT_EQ(plain, replayed);
  EXPECT_NE(plain[0], plain[19]);
}

TEST_F(Compile, NumbersAndScalars) {
  const auto by_value = compile([](const Tensor& a, double factor) { return a * factor; });
  EXPECT_THAT(by_value(x, 2.0).to_vector<float>(), ElementsAre(2, 4, 6));
  EXPECT_THAT(by_value(x, 3.0).to_vector<float>(), ElementsAre(3, 6, 9));
  EXPECT_EQ(counts(by_value), Counts(2, 1)) << "a number is an input of the program: recorded again, not compiled";

  const auto by_scalar =
      compile([](const Tensor& a, Scalar factor, const Scalar& offset) { return a * factor + offset; });
  EXPECT_THAT(by_scalar(x, 2, 1.0).to_vector<float>(), ElementsAre(3, 5, 7));
  EXPECT_THAT(by_scalar(x, 3, 3.0).to_vector<float>(), ElementsAre(6, 9, 12)) << "equal numbers never merge";
  EXPECT_THAT(by_scalar(x, 3, 4.0).to_vector<float>(), ElementsAre(7, 10, 13));
  EXPECT_EQ(counts(by_scalar), Counts(1, 1));

  Scalar scale = 2;
  const auto captured = compile([&](const Tensor& a) { return a * scale; });
  captured(x);
  scale = 5;
  EXPECT_THAT(captured(x).to_vector<float>(), ElementsAre(5, 10, 15));
  EXPECT_EQ(counts(captured), Counts(1, 0)) << "the program of the first function";

  const auto read = compile([&](const Tensor& a) { return scale > 3 ? a : -a; });
  const auto decides = compile([&](const Tensor& a) { return scale > 3 ? a + 1 : a - 1; });
  EXPECT_THAT(decides(x).to_vector<float>(), ElementsAre(2, 3, 4));
  scale = 1;
  EXPECT_THAT(decides(x).to_vector<float>(), ElementsAre(0, 1, 2));
  EXPECT_THAT(read(x).to_vector<float>(), ElementsAre(-1, -2, -3));
}

TEST_F(Compile, FlagsAreGuards) {
  Dropping model;
  const auto f = compile([&](const Tensor& a) { return model.dropout(a * model.weight); });
  set_training(model, false);
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(1, 2, 3));
  set_training(model, true);
  const Tensor ones_ = ones({3});
  std::set<std::vector<float>> drawn;
  for (int i = 0; i < 20; ++i) drawn.insert(f(ones_).to_vector<float>());
  EXPECT_GT(drawn.size(), 2u) << "every replay draws anew";
  set_training(model, false);
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(1, 2, 3));
  EXPECT_EQ(f.explain().recorded, 2u) << f.explain();
}

TEST_F(Compile, ParametersAreState) {
  Parameter counter(zeros({2}));
  const auto add = compile([&](const Tensor& a) { counter = counter + a; });
  const Tensor step = tensor({1.f, 2.f});
  for (int i = 0; i < 3; ++i) add(step);
  EXPECT_THAT(counter.tensor().to_vector<float>(), ElementsAre(3, 6));
  const Tensor kept = counter;  // a held tensor keeps its value
  add(step);
  EXPECT_THAT(kept.to_vector<float>(), ElementsAre(3, 6));
  EXPECT_THAT(counter.tensor().to_vector<float>(), ElementsAre(4, 8));
  counter = tensor({100.f, 100.f});  // assigned outside
  add(step);
  EXPECT_THAT(counter.tensor().to_vector<float>(), ElementsAre(101, 102));
  counter = counter + step;  // recorded outside, not launched
  add(step);
  EXPECT_THAT(counter.tensor().to_vector<float>(), ElementsAre(103, 106));
  EXPECT_EQ(counts(add), Counts(1, 1));
  counter.reset(zeros({3}));
  add(x);
  EXPECT_THAT(counter.tensor().to_vector<float>(), ElementsAre(1, 2, 3));
  EXPECT_EQ(counts(add), Counts(2, 2));
}

TEST_F(Compile, ParametersAmongTheArgumentsAndModelsByReference) {
  const auto shrink = compile([](Weights& model, const Tensor& by) {
    model.weight = model.weight - by;
    return sum(model.weight);
  });
  Weights first{tensor({1.f, 2.f})}, second{tensor({10.f, 20.f})};
  const Tensor by = tensor({1.f, 1.f});
  EXPECT_EQ(shrink(first, by).item(), 1);
  EXPECT_EQ(shrink(second, by).item(), 28);
  EXPECT_EQ(shrink(first, by).item(), -1);
  EXPECT_EQ(shrink(second, by).item(), 26);
  EXPECT_THAT(first.weight.tensor().to_vector<float>(), ElementsAre(-1, 0));
  EXPECT_THAT(second.weight.tensor().to_vector<float>(), ElementsAre(8, 18));
  EXPECT_EQ(counts(shrink), Counts(2, 1)) << "the models share a program";
}

TEST_F(Compile, TensorsThatAreOneAndTheSameAreAGuard) {
  Parameter a(tensor({1.f})), b(a);  // b has the value of a until one of them changes
  const auto f = compile([&](const Tensor& c) { return a * 100 + b * 10 + c; });
  EXPECT_EQ(f(a).item(), 111);
  b = tensor({2.f});
  EXPECT_EQ(f(a).item(), 121);
  EXPECT_EQ(f(tensor({3.f})).item(), 123);
  a = tensor({4.f});
  EXPECT_EQ(f(b).item(), 422);
}

TEST_F(Compile, StructsAndContainersComeAndGo) {
  const auto f = compile([](const Batch& batch) {
    Tensor total = batch.images;
    for (const Tensor& label : batch.labels) total = batch.mode == "sum" ? total + label : total * label;
    if (batch.mask) total = total * *batch.mask;
    return std::pair(total, std::vector{total * 2, batch.images});
  });
  const auto check = [&](const Batch& batch, std::vector<float> want) {
    for (int i = 0; i < 2; ++i) {
      const auto [total, more] = f(batch);
      EXPECT_EQ(total.to_vector<float>(), want);
      EXPECT_EQ(more[0].to_vector<float>()[0], 2 * want[0]);
      EXPECT_EQ(more[1].to_vector<float>(), batch.images.to_vector<float>());
    }
  };
  check({x, {y}, {}, "sum"}, {11, 22, 33});
  check({x, {y, y}, {}, "sum"}, {21, 42, 63});
  check({x, {y}, {}, "product"}, {10, 40, 90});
  check({x, {y}, x, "sum"}, {11, 44, 99});
  check({y, {x}, {}, "sum"}, {11, 22, 33});
  EXPECT_EQ(f.explain().recorded, 4u);
}

TEST_F(Compile, BackendsAgree) {
  const auto f = [](const Tensor& a) { return softmax(gelu(a) * 2 + exp(-a), 0); };
  const auto compiled = compile(f);
  const auto want = compiled(x).to_vector<float>();
  for (const char* name : {"eager", "interpreter"}) {
    const knobs::Override<knobs::Text> backend{knobs::backend, name};
    const auto got = compiled(x).to_vector<float>();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << name;
  }
  EXPECT_EQ(counts(compiled).first, 3u) << "the backend is a guard";
}

TEST_F(Compile, CompiledFunctionsInsideOthersAndInLoops) {
  bool compiling = false;
  const auto inner = compile([&](const Tensor& a) {
    compiling = is_compiling();
    return a * 2;
  });
  const auto outer = compile([&](const Tensor& a) { return inner(a) + inner(a + 1); });
  EXPECT_FALSE(is_compiling());
  EXPECT_THAT(outer(x).to_vector<float>(), ElementsAre(6, 10, 14));
  EXPECT_TRUE(compiling);
  EXPECT_EQ(inner.explain().calls, 0u) << "part of the outer graph";
  const auto loops = compile([&](const Tensor& a) {
    return for_loop(3, std::vector{a},
                    [&](const Tensor&, const std::vector<Tensor>& s) { return std::vector{inner(s[0])}; })[0];
  });
  for (int i = 0; i < 2; ++i) EXPECT_THAT(loops(x).to_vector<float>(), ElementsAre(8, 16, 24));
}

TEST_F(Compile, AFailedCallChangesNothing) {
  Parameter a(x), b(y);
  const auto f = compile([&](const Tensor& c) {
    a = a + 1;
    b = b + matmul(c, c);
    return a;
  });
  EXPECT_THROW(f(x.to(DType::boolean)), Error);
  EXPECT_THAT(a.tensor().to_vector<float>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(b.tensor().to_vector<float>(), ElementsAre(10, 20, 30));
  const Tensor after = a + b;
  EXPECT_THAT(after.to_vector<float>(), ElementsAre(11, 22, 33));
  EXPECT_THROW(compile([](const Tensor&) {})(x), Error) << "a function without effect";
}

TEST_F(Compile, SwapsAndPassesThrough) {
  Parameter a(x), b(y);
  const auto swap = compile([&](const Tensor& c) {
    const Tensor was = a;
    a = b.tensor();
    b = was;
    return std::pair(c, a + b);
  });
  for (int i = 1; i <= 3; ++i) {
    const auto [same, total] = swap(x);
    EXPECT_THAT(same.to_vector<float>(), ElementsAre(1, 2, 3));
    EXPECT_THAT(total.to_vector<float>(), ElementsAre(11, 22, 33));
    EXPECT_EQ(a.tensor().to_vector<float>()[0], i % 2 == 1 ? 10 : 1);
    EXPECT_EQ(b.tensor().to_vector<float>()[0], i % 2 == 1 ? 1 : 10);
  }
  EXPECT_EQ(counts(swap).first, 1u);
}

TEST_F(Compile, ThreadsShareWhatIsKnown) {
  const auto f = compile([](const Tensor& a) { return sum(a * a); });
  std::vector<double> results(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) results[t] = f(full({4}, static_cast<double>(t), DType::f32)).item();
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t) EXPECT_EQ(results[t], 4.0 * (t * t));
}

TEST_F(Compile, ThreadsMayShareParameters) {
  const Parameter weight(full({3}, 2.0, DType::f32));
  const auto gradient = compile([&](const Tensor& scale) {
    Tensor scaled = weight * scale;
    for (int i = 1; i < 50; ++i) scaled = scaled + weight * scale;  // used often, so that threads interleave
    return grad(sum(scaled * weight), weight);                      // 100 weight scale, summed over the rows
  });
  sync();
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 50; ++i) {
        const std::int64_t rows = 1 + static_cast<std::int64_t>((t + i) % 5);
        const StanceScope stance(i % 2 ? Stance::standard : Stance::force_eager);
        wrong[t] +=
            gradient(ones({rows, 3})).to_vector<float>() != std::vector<float>(3, 200.f * static_cast<float>(rows));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
}

TEST_F(Compile, ThreadsMayCallOneTrainingStep) {
  const auto trained = [](int threads, int steps) {
    Parameter weight(tensor({1.f, 2.f}));
    optim::SGD optimizer(std::vector<NamedParameter>{{"weight", &weight}}, {.lr = 0.01, .momentum = 0.5});
    const auto step = compile([&](const Tensor& a) {
      const Tensor loss = sum(square(weight * a));
      optimizer.step(grad(loss, optimizer.parameters()));
      return loss;
    });
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&] {
        const Tensor batch = tensor({1.f, 0.5f});
        for (int i = 0; i < steps; ++i) step(batch);
      });
    for (std::thread& thread : all) thread.join();
    return weight.tensor().to_vector<float>();
  };
  EXPECT_EQ(trained(4, 25), trained(1, 100)) << "each update is whole";
}

struct Pair {
  Tensor first, second;
  void fields(auto&& field) {
    field("first", first);
    field("second", second);
  }
};

TEST_F(Compile, BracedArgumentsAreWhatTheFunctionDeclares) {
  const auto difference = compile([](const Pair& pair, std::vector<Tensor> more, Scalar factor) {
    return (pair.first - pair.second) * factor + more[0];
  });
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(difference({y, x}, {x, y}, 2).to_vector<float>(), (std::vector<float>{19, 38, 57}));
  EXPECT_EQ(difference.pinned()({y, x}, {y, x}, 1).to_vector<float>(), (std::vector<float>{19, 38, 57}));
  EXPECT_EQ(counts(difference), (Counts{1, 1}));
}

}  // namespace
}  // namespace weft
