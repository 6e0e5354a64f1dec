// Samples of control ops, sources and opaque ops.
#include <tests/ir/op_samples.h>

#include <weft/ir/host_function.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

std::shared_ptr<const Graph> graph_of(std::vector<Type> inputs,
                                      const std::function<std::vector<Value>(std::span<const Value>)>& body) {
  return make_graph(inputs, [&](Graph&, std::span<const Value> x) { return body(x); });
}

// Returns every dtype of the op's domain, and more shapes for some of them.
std::vector<Type> types_of(const Op& op) {
  std::vector<Type> types{Type(DType::f64, {}), Type(DType::bf16, {0}), Type(DType::i32, {2, 2})};
  for (const DType dtype : members(op.domain)) types.push_back(Type(dtype, {3}));
  return types;
}

void while_samples(SampleList& list) {
  // Doubles x until it has done so n times or x is large.
  for (const Type type : types_of(list.op())) {
    const Type counter(DType::i32, {});
    const auto condition = graph_of({counter, type}, [](std::span<const Value> x) {
      return std::vector{compare(x[0], constant_like(x[0], 0), Direction::GT)};
    });
    const auto body = graph_of({counter, type}, [](std::span<const Value> x) {
      return std::vector{x[0] - constant_like(x[0], 1), x[1] + x[1]};
    });
    auto& sample =
        list.add({counter, type}, [&](Graph&, std::span<const Value> x) { return while_(x, condition, body); });
    sample.inputs[0] = {-1, 5};
    sample.wrt.clear();  // the number of steps is unknown
  }
  // A counted loop has a gradient: for the values that it carries, in products and stacked row by row, and for values that it only reads.
  for (const Type type : types_of(list.op())) {
    if (!is_float(type.dtype()) || type.rank() != 1) continue;
    const Type counter(DType::i32, {}), rows(type.dtype(), {Dim(3), type.dim(0)});
    const auto condition = graph_of({counter, type, rows, type}, [](std::span<const Value> x) {
      return std::vector{compare(x[0], constant_like(x[0], 4), Direction::LT)};
    });
    const auto body = graph_of({counter, type, rows, type}, [&](std::span<const Value> x) {
      const Value next = x[1] * x[3] + x[1], row = reshape(next, std::vector{Dim(1), type.dim(0)});
      const std::vector at{x[0] - constant_like(x[0], 1), constant_like(x[0], 0)};
      return std::vector{x[0] + constant_like(x[0], 1), next, dynamic_update_slice(x[2], row, at), x[3]};
    });
    list.add({type, rows, type}, [&](Graph& graph, std::span<const Value> x) {
      const Value first = constant(graph, counter, 1);
      return while_(std::vector{first, x[0], x[1], x[2]}, condition, body);
    });
  }
}

void branch_samples(SampleList& list) {
  const bool is_if = &list.op() == &ops::if_;
  const Type choice = is_if ? Type(DType::boolean, {}) : Type(DType::i32, {});
  for (const Type type : types_of(list.op())) {
    std::vector branches{
        graph_of({type, type}, [](std::span<const Value> x) { return std::vector{x[0] * x[1], x[0]}; }),
        graph_of({type, type}, [](std::span<const Value> x) { return std::vector{x[0] + x[1], x[1] * x[1]}; }),
    };
    if (!is_if)
      branches.push_back(
          graph_of({type, type}, [](std::span<const Value> x) { return std::vector{x[1], x[1] + x[1]}; }));
    for (int repeat = 0; repeat < 3; ++repeat) {  // so that every branch is taken
      auto& sample = list.add({choice, type, type}, [&](Graph& graph, std::span<const Value> x) {
        return all_results(graph.append(list.op(), x, nullptr, {}, branches));
      });
      sample.inputs[0] =
          is_if ? InputRange{repeat % 2 * 1.0, repeat % 2 * 1.0} : InputRange{repeat * 2.0 - 1, repeat * 2.0 - 1};
    }
    if (is_if) continue;
    for (const double index : {0.0, 1.0}) {
      auto& sample = list.add({choice, type, type}, [&](Graph& graph, std::span<const Value> x) {
        return all_results(graph.append(list.op(), x, nullptr, {}, branches));
      });
      sample.inputs[0] = {index, index};
    }
  }
}

void composite_samples(SampleList& list) {
  for (const Type type :
       {Type(DType::f32, {2, 3}), Type(DType::f64, {2, 3}), Type(DType::bf16, {0, 3}), Type(DType::f64, {1, 1})}) {
    const auto softmax = graph_of({type}, [](std::span<const Value> x) {
      const std::int64_t last = 1, rows = 0;
      const auto row = [&](Value v) { return broadcast_in_dim(v, x[0].type(), Ints(&rows, 1)); };
      const Value e = exponential(x[0] - row(stop_gradient(reduce_max(x[0], Ints(&last, 1)))));
      return std::vector{e / row(reduce_sum(e, Ints(&last, 1)))};
    });
    list.add({type}, [&](Graph&, std::span<const Value> x) { return composite("weft.softmax", x, softmax); });
  }
  for (const Type type : types_of(list.op())) {
    const auto twice = graph_of({type}, [](std::span<const Value> x) { return std::vector{x[0] + x[0]}; });
    list.add({type}, [&](Graph&, std::span<const Value> x) { return composite("test.twice", x, twice); });
  }
  // One result depends on the other, and one input is also a result.
  const Type type(DType::f64, {3});
  const auto mixed = graph_of({type, type}, [](std::span<const Value> x) {
    const Value product = x[0] * x[1];
    return std::vector{product, x[0], exponential(product)};
  });
  list.add({type, type}, [&](Graph&, std::span<const Value> x) { return composite("test.mixed", x, mixed); }).inputs = {
      {-1, 1}, {-1, 1}};
}

void source_samples(SampleList& list) {
  std::vector<Type> types{Type(DType::f32, {2, 3}), Type(DType::f64, {4}),       Type(DType::bf16, {3, 1}),
                          Type(DType::i32, {5}),    Type(DType::i64, {3, 2, 4}), Type(DType::u8, {2, 0})};
  for (const DType dtype : members(list.op().domain)) types.push_back(Type(dtype, {3}));
  if (&list.op() != &ops::iota) types.push_back(Type(DType::f64, {}));
  if (&list.op() == &ops::parameter) {
    for (const Type type : types)
      list.add({type}, [](Graph&, std::span<const Value> x) { return std::vector(x.begin(), x.end()); });
  } else if (&list.op() == &ops::iota) {
    for (const Type type : types)
      for (std::int64_t d = 0; d < type.rank(); ++d)
        list.add({}, [=](Graph& graph, auto) { return std::vector{iota(graph, type, d)}; });
  } else {
    for (const Type type : types) {
      list.add({}, [=](Graph& graph, auto) { return std::vector{constant(graph, type, 3)}; });
      std::vector<std::byte> bytes(type.bytes());
      for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(type.dtype() == DType::boolean ? i % 2 : i % 60 + 1);
      list.add({}, [&](Graph& graph, auto) { return std::vector{constant(graph, Literal{type, bytes})}; });
    }
    list.add({}, [](Graph& graph, auto) { return std::vector{constant(graph, Type(DType::boolean, {}), 1)}; });
  }
}

void rng_bit_generator_samples(SampleList& list) {
  for (const auto algorithm : {RngAlgorithm::DEFAULT, RngAlgorithm::PHILOX, RngAlgorithm::THREE_FRY})
    for (const Type type : {Type(DType::u32, {3, 5}), Type(DType::u64, {7}), Type(DType::u8, {6}),
                            Type(DType::i16, {5}), Type(DType::u32, {}), Type(DType::u32, {0})})
      list.add({Type(DType::u64, {2})},
               [=](Graph&, std::span<const Value> x) { return rng_bit_generator(x[0], type, algorithm); })
          .name += concat(" ", EnumNames<RngAlgorithm>::names[static_cast<std::size_t>(algorithm)], " to ", type);
  for (const std::int64_t words : {2, 3})  // rows of whole blocks
    for (const Type type : {Type(DType::u32, {12, 4}), Type(DType::u64, {1, 10, 2}), Type(DType::u16, {6, 2, 2})})
      list.add({Type(DType::u64, {words})},
               [=](Graph&, std::span<const Value> x) { return rng_bit_generator(x[0], type, RngAlgorithm::PHILOX); })
          .name += concat(" of ", words, " words to ", type);
}

void optimization_barrier_samples(SampleList& list) {
  list.add({Type(DType::f32, {2, 3})});
  list.add({Type(DType::f64, {2}), Type(DType::i32, {0}), Type(DType::f64, {})});
  for (const Type type : types_of(list.op())) list.add({type});
}

// Computes x^2 on the host, and its gradient.
const HostFunction& square() {
  static const HostFunction& function = register_host_function(
      "samples.square", [](std::span<const Type> inputs) { return std::vector{inputs[0]}; },
      [](const HostCall& call) {
        const auto x = call.inputs[0].data<double>();
        for (std::size_t i = 0; i < x.size(); ++i) call.outputs[0].data<double>()[i] = x[i] * x[i];
      },
      [](const HostCall& call) {
        const auto x = call.inputs[0].data<double>(), dy = call.inputs[2].data<double>();
        for (std::size_t i = 0; i < x.size(); ++i) call.outputs[0].data<double>()[i] = 2 * x[i] * dy[i];
      });
  return function;
}

// The targets are a check that the interpreter knows, which has no gradient, and a host function.
void custom_call_samples(SampleList& list) {
  for (const Type type : types_of(list.op()))
    list.add({type},
             [&](Graph& graph, std::span<const Value> x) {
               const CustomCallAttributes attributes{
                   .target = "check.expect_eq", .has_side_effect = true, .backend_config = "a \"b\""};
               return all_results(graph.append(list.op(), std::array{x[0], x[0]}, &attributes));
             })
        .wrt.clear();
  const Type type(DType::f64, {3});
  list.add({type},
           [&](Graph& graph, std::span<const Value> x) {
             const CustomCallAttributes attributes{.target = square().name()};
             return all_results(graph.append(list.op(), x, &attributes, std::span(&type, 1)));
           })
      .order = 1;
}

constexpr SampleEntry control_table[] = {
    {&ops::while_, while_samples},
    {&ops::if_, branch_samples},
    {&ops::case_, branch_samples},
    {&ops::composite, composite_samples},
    {&ops::parameter, source_samples},
    {&ops::constant, source_samples},
    {&ops::iota, source_samples, needs_a_dimension},
    {&ops::rng_bit_generator, rng_bit_generator_samples, needs_a_dimension},
    {&ops::optimization_barrier, optimization_barrier_samples},
    {&ops::custom_call, custom_call_samples},
};

}  // namespace

constinit const std::span<const SampleEntry> control_samples = control_table;

}  // namespace weft::ir
