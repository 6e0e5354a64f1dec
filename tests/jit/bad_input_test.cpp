// The errors of compile(fn) for wrong use, and that a failed call loses none of the user's state.
#include <limits>
#include <optional>
#include <tests/error_of.h>
#include <tests/jit/compile.h>
#include <tests/tensor/check.h>
#include <utility>
#include <vector>

#include <weft/base/knobs.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/simulated/simulated_device.h>

namespace weft {
namespace {

using test::OnDevice;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class BadInput : public Compile {
 protected:
  static Tensor rows(std::int64_t n) {
    Tensor made = ones({n, 6});
    sync();
    return made;
  }
};

// One option makes the other ineffective.
TEST_F(BadInput, OptionsThatContradictEachOther) {
  const auto said = [](CompileOptions options) {
    options.name = "step";
    const std::string error = error_of([&] { compile([](const Tensor& a) { return a + 1; }, options); });
    EXPECT_THAT(error, HasSubstr("compile: step: "));
    return error;
  };
  const auto both = [](const char* one, const char* other) {
    return AllOf(HasSubstr(one), HasSubstr(other), HasSubstr("contradicts"));
  };
  for (const char* backend : {"eager", "interpreter"}) {
    for (const Mode mode : {Mode::reduce_overhead, Mode::max_autotune, Mode::max_autotune_no_replay})
      EXPECT_THAT(said({.mode = mode, .backend = backend}), both(backend, "mode "));
    EXPECT_THAT(said({.backend = backend, .shape_padding = true}), both(backend, "shape_padding"));
    EXPECT_THAT(said({.backend = backend, .activation_memory_bytes = 1}), both(backend, "activation_memory_bytes"));
  }
  EXPECT_THAT(said({.fullgraph = true, .limit_policy = LimitPolicy::interpret}),
              both("fullgraph", "limit_policy interpret"));
  EXPECT_THAT(said({.dynamic = Dynamic::on, .activation_memory_bytes = 1}),
              both("activation_memory_bytes", "dynamic on"));
  const LimitPolicy generalise = LimitPolicy::generalise;
  EXPECT_THAT(said({.limit_policy = generalise, .activation_memory_bytes = 1}),
              both("limit_policy generalise", "activation_memory_bytes"));
  for (const int limit : {0, -1, std::numeric_limits<int>::min()})
    EXPECT_THAT(said({.recompile_limit = limit}), HasSubstr(concat("must be at least 1, got ", limit)));
}

TEST_F(BadInput, BackendsThatDoNotExist) {
  const auto body = [](const Tensor& a) { return a + 1; };
  EXPECT_THAT(error_of([&] { compile(body, {.backend = "inductor"}); }),
              HasSubstr("'inductor' is not a backend: use compiled (or standard), eager or interpreter"));
  const knobs::Override<knobs::Text> backend(knobs::backend, "inductor");
  EXPECT_THAT(error_of([&] { compile(body)(x); }),
              HasSubstr("WEFT_BACKEND: 'inductor' is not a backend: use compiled (or standard), eager or interpreter"));
}

// Without the mark, each of these option sets is valid.
TEST_F(BadInput, MarksThatContradictOptions) {
  const auto said = [](CompileOptions options, bool is_bucket) {
    options.name = "step";
    const auto step = compile([](const Tensor& a) { return a * 2; }, options);
    const Tensor plain = rows(8), marked = rows(8);
    if (is_bucket) {
      mark_buckets(marked, 0, {4, 8}, "length");
    } else {
      mark_dynamic(marked, 0, {.name = "batch"});
    }
    const std::string error = error_of([&] { step(marked); });
    EXPECT_THAT(error, AllOf(HasSubstr("step: dimension 0 of argument 0 is "), HasSubstr("bad_input_test.cpp:")));
    EXPECT_EQ(step(plain).to_vector<float>(), std::vector<float>(48, 2)) << "the error is of the call alone";
    EXPECT_EQ(marked.to_vector<float>(), std::vector<float>(48, 1));
    return error;
  };
  EXPECT_THAT(said({.dynamic = Dynamic::off}, false), AllOf(HasSubstr("batch"), HasSubstr("dynamic off")));
  EXPECT_THAT(said({.activation_memory_bytes = 1 << 20}, false),
              AllOf(HasSubstr("batch"), HasSubstr("activation_memory_bytes")));
  EXPECT_THAT(said({.dynamic = Dynamic::on}, true), AllOf(HasSubstr("length of 4 or 8"), HasSubstr("dynamic on")));
  EXPECT_THAT(said({.limit_policy = LimitPolicy::generalise}, true),
              AllOf(HasSubstr("length of 4 or 8"), HasSubstr("limit_policy generalise")));
}

TEST_F(BadInput, MarksThatCannotBe) {
  const Tensor a = rows(8);
  EXPECT_THAT(error_of([&] { mark_dynamic(a, 2); }), HasSubstr("mark_dynamic: "));
  EXPECT_THAT(error_of([&] { mark_dynamic(a, -3); }), HasSubstr("mark_dynamic: "));
  EXPECT_THAT(error_of([&] { mark_dynamic(sum(a), 0); }), HasSubstr("mark_dynamic: "));
  EXPECT_THAT(error_of([&] { mark_dynamic(Tensor(), 0); }), HasSubstr("default-constructed Tensor"));
  for (const DynamicDim& range : {DynamicDim{.min = -1}, DynamicDim{.min = 9, .max = 8}, DynamicDim{.multiple_of = 0}})
    EXPECT_THAT(error_of([&] { mark_dynamic(a, 0, range); }),
                HasSubstr("expected 0 <= min <= max and multiple_of >= 1"));
  EXPECT_THAT(error_of([&] { mark_dynamic(a, 0, {.min = 5, .max = 7, .multiple_of = 8}); }),
              HasSubstr("no size is in [5, 7] and a multiple of 8"));
  EXPECT_THAT(error_of([] { Bucketing{0, 4}; }), HasSubstr("sizes must be positive"));
  EXPECT_THAT(error_of([] { Bucketing{4, 4}; }), HasSubstr("greater than the one before"));
  EXPECT_THAT(error_of([] { Bucketing(std::vector<std::int64_t>()); }), HasSubstr("at least one size"));
}

TEST_F(BadInput, TwoMarksOfOneDimension) {
  const Tensor a = rows(8);
  mark_dynamic(a, 0, {.name = "batch", .max = 16});
  mark_dynamic(a, 0, {.name = "batch", .max = 16});
  const auto refused = AllOf(HasSubstr("batch in [0, 16] (" __FILE__), HasSubstr("declare only one of them"));
  EXPECT_THAT(error_of([&] { mark_dynamic(a, -2, {.name = "rows", .max = 16}); }), refused);
  EXPECT_THAT(error_of([&] { mark_dynamic(a, 0, {.name = "batch", .max = 12}); }), refused);
  EXPECT_THAT(error_of([&] { mark_buckets(a, 0, {8, 16}, "batch"); }), refused);
  // The second mark is on the same argument, in a later call.
  const auto step = compile([](const Tensor& t) { return t * 2; }, {.name = "step"});
  step(a);
  const Tensor b = rows(9);
  mark_dynamic(b, 0, {.name = "batch", .max = 12});
  EXPECT_THAT(error_of([&] { step(b); }),
              AllOf(HasSubstr("step: dimension 0 of argument 0 is batch in [0, 12] ("), refused));
  step(rows(16));
}

TEST_F(BadInput, EqualSizesThatNoSizeCanBe) {
  const auto step = compile([](const Tensor& a, const Tensor& b) { return sum(a) + sum(b); }, {.name = "step"});
  const Tensor a = rows(8), b = rows(32);
  mark_dynamic(a, 0, {.name = "batch", .max = 16});
  mark_dynamic(b, 0, {.name = "batch", .min = 20});
  EXPECT_THAT(error_of([&] { step(a, b); }),
              AllOf(HasSubstr("argument 0 is batch in [0, 16] ("), HasSubstr("argument 1 is batch in [20, any] ("),
                    HasSubstr("no size satisfies both")));
}

// The sampled size must be in all ranges of its name; otherwise the function would be rejected for a size that never
// occurs.
TEST_F(BadInput, RangesOfOneNameHoldTogether) {
  const auto step = compile(
      [](const Tensor& a, const Tensor& b) {
        require(b.size(0) <= 8, "the function takes no more than 8 rows");
        return sum(a) + sum(b);
      },
      {.name = "step"});
  const Tensor a = rows(8), b = rows(8);
  mark_dynamic(a, 0, {.name = "batch"});
  mark_dynamic(b, 0, {.name = "batch", .max = 8});
  EXPECT_EQ(step(a, b).item(), 96);
}

// The mark of an argument that exists only in some calls does not apply to its neighbour.
TEST_F(BadInput, MarksBelongToTheArgumentNotItsPlace) {
  const auto step =
      compile([](const std::optional<Tensor>& mask, const Tensor& a) { return mask ? a + *mask : a * 2; });
  const Tensor marked = rows(8);
  mark_dynamic(marked, 0, {.name = "batch", .min = 2, .max = 8});
  step(std::nullopt, marked);
  EXPECT_EQ(step(rows(1), rows(8)).to_vector<float>(), std::vector<float>(48, 2)) << "the mask may be of any size";
}

TEST_F(BadInput, MarksInsideTheFunctionAreNotHeard) {
  const auto inside = [](auto mark) {
    return error_of([&] {
      compile([&](const Tensor& a) {
        const Tensor b = a * 2;
        mark(a, b);
        return b;
      })(rows(4));
    });
  };
  EXPECT_THAT(inside([](const Tensor& a, const Tensor&) { mark_dynamic(a, 0); }),
              HasSubstr("mark_dynamic: called inside a compiled function"));
  EXPECT_THAT(inside([](const Tensor&, const Tensor& b) { mark_buckets(b, 0, {4}); }),
              HasSubstr("mark_buckets: called inside a compiled function"));
}

// The pinned handle checks almost nothing, check_replays checks everything.
TEST_F(BadInput, PinnedCallsAreCheckedToo) {
  float scale = 2;
  const auto step = compile([&](const Tensor& a) { return a * scale; }, {.check_replays = true, .name = "step"});
  step(x);
  const auto pinned = step.pinned();
  EXPECT_THAT(pinned(y).to_vector<float>(), ElementsAre(20, 40, 60));
  scale = 3;
  EXPECT_THAT(error_of([&] { pinned(y); }), HasSubstr("step: a replay would have been wrong: the number used at "));

  const auto root = compile([](const Tensor& a) { return sqrt(a); });
  root(x);
  const auto pinned_root = root.pinned();
  const knobs::Override<knobs::Switch> nans(knobs::debug_nans, true);
  EXPECT_THAT(error_of([&] { pinned_root(tensor({1.f, -1.f, 1.f})); }), HasSubstr("sqrt"));
}

struct ImagesAndLabels {
  Tensor images, labels;
  void fields(auto&& field) {
    field("images", images);
    field("labels", labels);
  }
};

TEST_F(BadInput, TensorsOfAnotherDevice) {
  runtime::SimulatedDevice simulated;
  runtime::CpuDevice other;
  for (runtime::Device* const device : std::initializer_list<runtime::Device*>{&simulated, &other}) {
    Tensor there;
    {
      const OnDevice scope(*device);
      there = ones({3}) * 2;
      sync();
    }
    const auto names_both = AllOf(HasSubstr("tensor<3xf32>, is on " + device->id().text()),
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
        [&](const ImagesAndLabels& batch) {
          total = total + batch.images;
          return total * batch.labels;
        },
        {.name = "step"});
    const auto wrong_first = error_of([&] { step(ImagesAndLabels{there, y}); });
    EXPECT_THAT(wrong_first, AllOf(HasSubstr("add: argument 0.images of step"), names_both));
    EXPECT_THAT(step(ImagesAndLabels{x, y}).to_vector<float>(), ElementsAre(10, 40, 90));
    const auto pinned = step.pinned();
    for (int i = 0; i < 2; ++i) {
      const auto call = [&](const ImagesAndLabels& batch) { i == 0 ? step(batch) : pinned(batch); };
      EXPECT_THAT(error_of([&] { call({x, there}); }),
                  AllOf(HasSubstr("step: argument 0.labels, used at "), HasSubstr("bad_input_test.cpp:"), names_both));
      EXPECT_THAT(total.tensor().to_vector<float>(), ElementsAre(1, 2, 3)) << "a refused call changes nothing";
    }
    EXPECT_THAT(step(ImagesAndLabels{x, y}).to_vector<float>(), ElementsAre(20, 80, 180));
    EXPECT_THAT(error_of([&] { compile([&](const Tensor& a) { return a + foreign; }, {.name = "step"})(x); }),
                AllOf(HasSubstr("add: a parameter of step"), names_both));
    EXPECT_THAT(error_of([&] { compile([&](const Tensor& a) { return a + there; }, {.name = "step"})(x); }),
                AllOf(HasSubstr("add: a captured tensor of step"), names_both));
    const Tensor copied = from_bytes(there.bytes(), there.type());
    EXPECT_THAT(error_of([&] { step(ImagesAndLabels{copied, y}); }), "") << "the remedy";
  }
}

TEST_F(BadInput, ARecordingLaunchedOnAnotherDevice) {
  runtime::CpuDevice other;
  const Tensor here = x + 1;
  {
    const OnDevice scope(other);
    EXPECT_THAT(error_of([] { sync(); }),
                AllOf(HasSubstr("is on " + Compile::x.buffer()->device().text()), HasSubstr(other.id().text())));
  }
  EXPECT_THAT(here.to_vector<float>(), ElementsAre(2, 3, 4)) << "nothing of it is lost";
}

// Tensors that only a sample recorded have no elements; waiting for them must fail.
TEST_F(BadInput, TensorsKeptOfATraceForOtherSizes) {
  Tensor input, made;
  const auto step = compile(
      [&](const Tensor& a) {
        if (a.size(0) == 5) return a + 1;
        input = a;
        made = a * 2;
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

// A tensor that reuses the address of an argument is not mistaken for it.
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

// Effects other than on tensors count as effects too.
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

// After any failure, the user's tensors have their earlier values.
TEST_F(BadInput, NothingIsLostByAFailedCall) {
  const CustomOp throws = custom_op("bad_input.throws", {.compute = [](const HostCall&) { fail("the host says no"); }});
  Parameter weight(x * 1), moment(y * 1);
  sync();
  const Tensor kept = x * 5, in = x + 1;  // not launched yet
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
  fails("what is not compiled", "f8E5M2", [&](const Tensor& a) { return throws(a.to(DType::f8E5M2)); });
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

  // An error on the device is thrown when a result is read. A parameter that should have received the result has no
  // other value.
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

// Each graph between breaks is one update: launched graphs keep their effect, the rest is undone.
TEST_F(BadInput, ACallThatFailsBehindABreak) {
  Parameter total(zeros({3})), other(ones({3}));
  random::Generator generator{.seed = 3};
  const auto draws = [&] { return random::normal(generator.next(), {3}); };
  const auto step = compile([&](const Tensor& a) {
    total = total + a + draws() * 0;
    const double read = sum(total.tensor()).item();
    total = total * 100 + draws();
    other = other + read;
    return matmul(a, ones({4, 2}));
  });
  for (int i = 1; i <= 2; ++i) {
    EXPECT_THAT(error_of([&] { step(x); }), HasSubstr("matmul"));
    const auto n = static_cast<float>(i);
    EXPECT_THAT(total.tensor().to_vector<float>(), ElementsAre(n, 2 * n, 3 * n));
    EXPECT_THAT(other.tensor().to_vector<float>(), ElementsAre(1, 1, 1));
    EXPECT_EQ(generator.calls, static_cast<std::uint64_t>(i));
  }
}

}  // namespace
}  // namespace weft
