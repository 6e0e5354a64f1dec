// What compile(fn) says of what it cannot use, and that nothing of the user's is lost by it.
#include <optional>
#include <tests/jit/compile.h>
#include <utility>
#include <vector>

#include <weft/base/knobs.h>

namespace weft {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class BadInput : public Compile {
 protected:
  // What the call says; empty: it did nothing wrong.
  template <class F>
  static std::string error_of(F call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  static Tensor rows(std::int64_t n) {
    Tensor made = ones({n, 6});
    sync();
    return made;
  }
};

// Another device, for a while.
class OnDevice {
 public:
  explicit OnDevice(runtime::Device& device) : before_(weft::device()) { set_device(device); }
  ~OnDevice() { set_device(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  runtime::Device& before_;
};

struct Batch {
  Tensor images, labels;
  void fields(auto&& field) {
    field("images", images);
    field("labels", labels);
  }
};

TEST_F(BadInput, TensorsOfAnotherDevice) {
  runtime::Device simulated({.simulated = true}), other;
  for (runtime::Device* const device : {&simulated, &other}) {
    Tensor there;
    {
      const OnDevice scope(*device);
      there = ones({3}) * 2;
      sync();
    }
    const auto names_both = AllOf(HasSubstr("tensor<3xf32>, is of " + device->id().text()),
                                  HasSubstr("launches on " + weft::device().id().text()), HasSubstr("set_device"));
    const Tensor here = x + 1;
    EXPECT_THAT(error_of([&] { x + there; }), AllOf(HasSubstr("add: an operand"), names_both));
    EXPECT_THAT(here.to_vector<float>(), ElementsAre(2, 3, 4)) << "what was recorded before goes on";
    EXPECT_THAT(error_of([&] {
                  for_loop(2, std::vector{x},
                           [&](const Tensor&, const std::vector<Tensor>& at) { return std::vector{at[0] * there}; });
                }),
                AllOf(HasSubstr("multiply: an operand"), names_both));
    EXPECT_THAT(error_of([&] { sum(there).item_async(); }), names_both);

    Parameter total(zeros({3})), foreign(there);
    const auto step = compile(
        [&](const Batch& batch) {
          total = total + batch.images;
          return total * batch.labels;
        },
        {.name = "step"});
    const auto wrong_first = error_of([&] { step(Batch{there, y}); });
    EXPECT_THAT(wrong_first, AllOf(HasSubstr("add: argument 0.images of step"), names_both));
    EXPECT_THAT(step(Batch{x, y}).to_vector<float>(), ElementsAre(10, 40, 90));
    const auto pinned = step.pinned();
    for (int i = 0; i < 2; ++i) {
      const auto call = [&](const Batch& batch) { i == 0 ? step(batch) : pinned(batch); };
      EXPECT_THAT(error_of([&] { call({x, there}); }),
                  AllOf(HasSubstr("step: argument 0.labels, used at "), HasSubstr("bad_input_test.cpp:"), names_both));
      EXPECT_THAT(total.tensor().to_vector<float>(), ElementsAre(1, 2, 3)) << "a refused call changes nothing";
    }
    EXPECT_THAT(step(Batch{x, y}).to_vector<float>(), ElementsAre(20, 80, 180));
    EXPECT_THAT(error_of([&] { compile([&](const Tensor& a) { return a + foreign; }, {.name = "step"})(x); }),
                AllOf(HasSubstr("add: a parameter of step"), names_both));
    EXPECT_THAT(error_of([&] { compile([&](const Tensor& a) { return a + there; }, {.name = "step"})(x); }),
                AllOf(HasSubstr("add: a captured tensor of step"), names_both));
    const Tensor copied = from_bytes(there.bytes(), there.type());
    EXPECT_THAT(error_of([&] { step(Batch{copied, y}); }), "") << "the remedy";
  }
}

TEST_F(BadInput, ARecordingLaunchedOnAnotherDevice) {
  runtime::Device other;
  const Tensor here = x + 1;
  {
    const OnDevice scope(other);
    EXPECT_THAT(error_of([] { sync(); }),
                AllOf(HasSubstr("is of " + Compile::x.buffer()->device().text()), HasSubstr(other.id().text())));
  }
  EXPECT_THAT(here.to_vector<float>(), ElementsAre(2, 3, 4)) << "nothing of it is lost";
}

// What only a trace for other sizes made has no elements: not to be waited for.
TEST_F(BadInput, TensorsKeptOfATraceForOtherSizes) {
  Tensor input, made;
  const auto step = compile(
      [&](const Tensor& a) {
        if (!input.defined()) input = a;
        if (!made.defined()) made = a * 2;
        return a + 1;
      },
      {.name = "step"});
  const Tensor marked = rows(5);
  mark_dynamic(marked, 0, {.name = "batch"});
  EXPECT_EQ(step(marked).to_vector<float>(), std::vector<float>(30, 2));
  for (const Tensor& kept : {input, made}) {
    const auto refused = HasSubstr("tried with other sizes");
    EXPECT_THAT(error_of([&] { kept + 1; }), AllOf(HasSubstr("add: "), refused));
    EXPECT_THAT(error_of([&] { kept.item_async(); }), Not(""));
    EXPECT_THAT(error_of([&] { kept.to_vector<float>(); }), refused);
    EXPECT_THAT(error_of([&] { compile([&](const Tensor& a) { return a + kept; })(x); }), refused);
  }
}

// No other tensor is taken for an argument whose place it got in memory.
TEST_F(BadInput, AnArgumentThatTheFunctionMovesFrom) {
  const auto step = compile([](Tensor& a) {
    Tensor next = std::exchange(a, Tensor()) + 1;
    const Tensor b = tensor({5.f, 5.f, 5.f}), c = tensor({7.f, 7.f, 7.f});
    return next + b * c;
  });
  for (const float first : {1.f, 2.f}) {
    Tensor a = tensor({first, first, first});
    EXPECT_THAT(step(a).to_vector<float>(), ElementsAre(first + 36, first + 36, first + 36));
  }
}

struct None {
  void fields(auto&&) {}
};

TEST_F(BadInput, FunctionsThatReturnNothing) {
  Parameter total(zeros({3}));
  const auto add = compile([&](const Tensor& a) { total = total + a; });
  for (int i = 0; i < 3; ++i) add(x);
  EXPECT_THAT(total.tensor().to_vector<float>(), ElementsAre(3, 6, 9));
  EXPECT_EQ(counts(add), Counts(1, 1));
  const auto add_too = compile([&](const Tensor& a) {
    total = total + a;
    return None();
  });
  for (int i = 0; i < 3; ++i) add_too(x);
  EXPECT_THAT(total.tensor().to_vector<float>(), ElementsAre(6, 12, 18));

  const auto refused = HasSubstr("step: compile: the function returns no tensor and changes no parameter");
  const CompileOptions named{.name = "step"};
  EXPECT_THAT(error_of([&] { compile([](const Tensor&) {}, named)(x); }), refused);
  EXPECT_THAT(error_of([&] { compile([](const Tensor& a) { a * 2; }, named)(x); }), refused);
  EXPECT_THAT(error_of([&] { compile([](const Tensor&) { return None(); }, named)(x); }), refused);
  EXPECT_THAT(error_of([&] { compile([](const Tensor&) { return std::vector<Tensor>(); }, named)(x); }), refused);
  EXPECT_THAT(error_of([&] { compile([] {}, named)(); }), refused);
  const auto sometimes = compile(
      [&](const Tensor& a, bool counts) {
        if (counts) total = total + a;
      },
      named);
  sometimes(x, true);
  EXPECT_THAT(error_of([&] { sometimes(x, false); }), refused);
  sometimes(x, true);
  EXPECT_THAT(total.tensor().to_vector<float>(), ElementsAre(8, 16, 24));
}

// Other effects than tensors are effects too.
TEST_F(BadInput, FunctionsThatReturnNothingAndChangeTheHost) {
  Scalar rate = 8.0;
  const auto halve = compile([&](const Tensor&) { rate = rate / 2; });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(error_of([&] { halve(x); }), "");
  EXPECT_EQ(static_cast<double>(rate), 2.0);
  std::vector<float> seen;
  const auto look = compile([&](const Tensor& a) { seen = a.to_vector<float>(); });
  look(x);
  look(y);
  EXPECT_THAT(seen, ElementsAre(10, 20, 30));
}

TEST_F(BadInput, FunctionsThatReturnWhatTheyGet) {
  const auto same = compile([](const Tensor& a) { return a; });
  EXPECT_THAT(same(x).to_vector<float>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(same(y).to_vector<float>(), ElementsAre(10, 20, 30));
}

TEST_F(BadInput, ResultsWithoutAValue) {
  const auto step = compile([](const Tensor& a) { return std::pair(a + 1, Tensor()); }, {.name = "step"});
  EXPECT_THAT(error_of([&] { step(x); }), HasSubstr("step: result 1 is a default-constructed Tensor"));
}

// Whatever fails, the user's tensors are what they were.
TEST_F(BadInput, NothingIsLostByAFailedCall) {
  const CustomOp throws = custom_op("bad_input.throws", {.compute = [](const HostCall&) { fail("the host says no"); }});
  Parameter weight(x * 1), moment(y * 1);
  sync();
  const Tensor kept = x * 5, in = x + 1;  // not yet launched
  const auto all_as_before = [&](const std::string& what) {
    EXPECT_THAT(weight.tensor().to_vector<float>(), ElementsAre(1, 2, 3)) << what;
    EXPECT_THAT(moment.tensor().to_vector<float>(), ElementsAre(10, 20, 30)) << what;
    EXPECT_THAT(in.to_vector<float>(), ElementsAre(2, 3, 4)) << what;
    EXPECT_THAT(kept.to_vector<float>(), ElementsAre(5, 10, 15)) << what;
  };
  const auto fails = [&](const std::string& what, const std::string& says, auto ends, CompileOptions options = {}) {
    const auto step = compile(
        [&](const Tensor& a) {
          weight = weight + a;
          moment = moment * 2;
          return ends(a);
        },
        options);
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT(error_of([&] { step(in); }), HasSubstr(says)) << what;
      all_as_before(what);
    }
  };
  fails("an operation", "matmul", [](const Tensor& a) { return matmul(a, ones({4, 2})); });
  fails("the user's code", "mine", [](const Tensor& a) { return fail("mine"), a; });
  fails("a graph break", "fullgraph", [](const Tensor& a) { return a * a.to_vector<float>()[0]; }, {.fullgraph = true});
  {
    const StanceScope stance(Stance::fail_on_recompile);
    fails("a stance", "fail_on_recompile", [](const Tensor& a) { return a; });
  }
  {
    const knobs::Override<knobs::Text> backend(knobs::backend, "none such");
    fails("a backend", "none such", [](const Tensor& a) { return a; });
  }
  const auto marked = compile([&](const Tensor& a) {
    weight = weight + reshape(a, {3});
    return weight * 2;
  });
  const Tensor dynamic = x * 1;
  mark_dynamic(dynamic, 0, {.name = "batch"});
  EXPECT_THAT(error_of([&] { marked(dynamic); }), HasSubstr("reshape"));
  all_as_before("a constraint");
  EXPECT_THAT(dynamic.to_vector<float>(), ElementsAre(1, 2, 3));

  // What fails on the device is told where its results are read. A parameter that should have got one has no other value.
  const auto launched = compile([&](const Tensor& a) {
    moment = moment * 2;
    return throws(a) + 1;
  });
  for (int i = 0; i < 2; ++i) {
    const Tensor result = launched(in);
    EXPECT_THAT(error_of([&] { result.to_vector<float>(); }), HasSubstr("the host says no"));
    EXPECT_THAT(in.to_vector<float>(), ElementsAre(2, 3, 4));
    EXPECT_THAT(kept.to_vector<float>(), ElementsAre(5, 10, 15));
    EXPECT_THAT(weight.tensor().to_vector<float>(), ElementsAre(1, 2, 3)) << "not written by it";
    EXPECT_THAT(error_of([&] { moment.tensor().to_vector<float>(); }), HasSubstr("the host says no"));
  }
}

}  // namespace
}  // namespace weft
