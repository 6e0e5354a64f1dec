#include <apps/lab/captioner_steps.h>

#include <map>
#include <vector>

#include <apps/captioner/captioner_trainer.h>
#include <weft/jit/compile.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/foreach.h>
#include <weft/tensor/gradient.h>

namespace weft::lab {

namespace {

using Tensors = std::vector<Tensor>;
using captioner::CaptionBatch;

struct LossAndGradients {
  Tensor loss;
  Tensors gradients;
  void fields(auto&& field) {
    field("loss", loss);
    field("gradients", gradients);
  }
};

Tensors values_of(std::span<Parameter* const> parameters) {
  Tensors values;
  for (const Parameter* parameter : parameters) values.push_back(parameter->tensor());
  return values;
}

auto compiled_model(const SharedTask& task, const CompileOptions& options) {
  return compile(
      [task](const CaptionBatch& batch) {
        const Tensor loss = task->loss(batch);
        return LossAndGradients{loss, grad(loss, task->optimizer.parameters())};
      },
      options);
}

auto compiled_update(const SharedTask& task, const CompileOptions& options) {
  return compile([task](const Tensors& gradients) { task->optimizer.step(gradients); }, options);
}

// Adam over lists of tensors, as a user would write a custom update rule.
struct ForeachAdam {
  explicit ForeachAdam(std::vector<Parameter*> of) : parameters(std::move(of)) {
    for (const Parameter* parameter : parameters) {
      averages.emplace_back(zeros(parameter->type().dims()));
      squares.emplace_back(zeros(parameter->type().dims()));
    }
  }

  void step(const Tensors& gradients) {
    steps = steps.tensor() + 1.0;
    const Tensor correction1 = 1.0 - pow(constant(0.9), steps.tensor()),
                 correction2 = 1.0 - pow(constant(0.999), steps.tensor());
    const auto into = [](auto& state, const Tensors& values) {
      for (std::size_t i = 0; i < values.size(); ++i) state[i] = values[i];
    };
    into(averages,
         foreach_map([](const Tensor& m, const Tensor& g) { return 0.9 * m + 0.1 * g; }, averages, gradients));
    into(squares,
         foreach_map([](const Tensor& v, const Tensor& g) { return 0.999 * v + 0.001 * (g * g); }, squares, gradients));
    const Tensors weights =
        foreach_map([&](const Tensor& w, const Tensor& m,
                        const Tensor& v) { return w - 1e-3 * (m / correction1) / (sqrt(v / correction2) + 1e-8); },
                    values_of(parameters), averages, squares);
    for (std::size_t i = 0; i < weights.size(); ++i) *parameters[i] = weights[i];
  }

  std::vector<Parameter*> parameters;
  std::vector<Parameter> averages, squares;
  Parameter steps = Parameter(zeros({}));
};

// A part of the model, with one compiled function for its value and one for its gradient.
struct Region {
  using Inputs = Tensors;

  // Only the first `differentiable` inputs get a gradient.
  Region(const SharedTask& of, std::function<Tensor(const Inputs&)> value, std::vector<Parameter*> with,
         std::size_t differentiable, const CompileOptions& options)
      : parameters(std::move(with)) {
    const auto compute = [of, value = std::move(value)](const Inputs& x) {
      return captioner::in_precision(of->config, [&] { return value(x); });
    };
    forward = compile(compute, options);
    backward = compile(
        [compute, differentiable, own = parameters](const Inputs& x, const Tensor& upstream) {
          Tensors wrt(x.begin(), x.begin() + differentiable);
          for (const Tensor& weight : values_of(own)) wrt.push_back(weight);
          const Tensor y = compute(x);
          return vjp(std::span(&y, 1), std::span(&upstream, 1), wrt);
        },
        options);
  }

  std::vector<Parameter*> parameters;
  std::function<Tensor(const Inputs&)> forward;
  std::function<Tensors(const Inputs&, const Tensor& upstream)> backward;
};

// Sums the gradients of all parameters over the regions.
class GradientSum {
 public:
  // Adds the gradients of a region's parameters, which follow the gradients of its `inputs` inputs.
  void add(const Region& region, const Tensors& gradients, std::size_t inputs) {
    for (std::size_t i = 0; i < region.parameters.size(); ++i) {
      Tensor& sum = sums_[region.parameters[i]];
      sum = sum.defined() ? sum + gradients[inputs + i] : gradients[inputs + i];
    }
  }
  Tensors in_order(std::span<Parameter* const> parameters) {
    Tensors all;
    for (Parameter* parameter : parameters) all.push_back(sums_.at(parameter));
    return all;
  }

 private:
  std::map<Parameter*, Tensor> sums_;
};

// The captioner divided into one region per block.
struct RegionalModel {
  RegionalModel(const SharedTask& task, const CompileOptions& options) : update(compiled_update(task, options)) {
    captioner::ImageEncoder& encoder = task->model.encoder;
    captioner::CaptionDecoder& decoder = task->model.decoder;
    const auto add = [&](std::vector<Region>& to, auto value, std::vector<Parameter*> with,
                         std::size_t differentiable) {
      to.emplace_back(task, std::move(value), std::move(with), differentiable, options);
    };
    add(
        encoding, [&encoder](const Tensors& x) { return encoder.places(x[0]); },
        {&encoder.patch.weight, &*encoder.patch.bias, &encoder.class_token, &encoder.position.weight}, 0);
    for (nn::TransformerBlock& block : encoder.blocks)
      add(encoding, [&block](const Tensors& x) { return block(x[0]); }, parameters(block), 1);
    add(encoding, [&encoder](const Tensors& x) { return encoder.norm(x[0]); }, parameters(encoder.norm), 1);
    add(
        decoding, [&decoder](const Tensors& x) { return decoder.words(x[0]); },
        {&decoder.embed.weight, &decoder.position.weight}, 0);
    for (captioner::DecoderBlock& block : decoder.blocks)
      add(decoding, [&block](const Tensors& x) { return block(x[0], x[1]); }, parameters(block), 2);
    add(
        decoding, [&decoder](const Tensors& x) { return nn::cross_entropy(decoder.logits(decoder.norm(x[0])), x[1]); },
        {&*decoder.norm.bias, &decoder.norm.weight, &decoder.embed.weight}, 1);
  }

  Tensor step(CaptionerTask& task, const CaptionBatch& batch) {
    std::vector<Tensors> encoded, decoded;  // the inputs of each region
    Tensor x = batch.images;
    for (const Region& region : encoding) x = region.forward(encoded.emplace_back(Tensors{x}));
    const Tensor memory = x;
    x = batch.tokens;
    for (std::size_t i = 0; i < decoding.size(); ++i) {
      const bool first = i == 0, last = i + 1 == decoding.size();
      x = decoding[i].forward(decoded.emplace_back(first ? Tensors{x} : Tensors{x, last ? batch.labels : memory}));
    }
    const Tensor loss = x;

    GradientSum sum;
    Tensor upstream = ones({}), to_memory;
    for (std::size_t i = decoding.size(); i-- > 0;) {
      const bool first = i == 0, last = i + 1 == decoding.size();
      const Tensors gradients = decoding[i].backward(decoded[i], upstream);
      sum.add(decoding[i], gradients, first ? 0 : last ? 1 : 2);
      if (!first) upstream = gradients[0];
      if (!first && !last) to_memory = to_memory.defined() ? to_memory + gradients[1] : gradients[1];
    }
    upstream = to_memory;
    for (std::size_t i = encoding.size(); i-- > 0;) {
      const Tensors gradients = encoding[i].backward(encoded[i], upstream);
      sum.add(encoding[i], gradients, i == 0 ? 0 : 1);
      if (i > 0) upstream = gradients[0];
    }
    update(sum.in_order(task.optimizer.parameters()));
    return loss;
  }

  std::vector<Region> encoding, decoding;
  std::function<void(const Tensors& gradients)> update;
};

}  // namespace

CaptionerTask::CaptionerTask(const captioner::CaptionerConfig& of)
    : config(of), model(config.sizes, config.seed), optimizer(model, {.lr = 1e-3}) {}

Tensor CaptionerTask::loss(const CaptionBatch& batch) const {
  return captioner::in_precision(config, [&] { return model.loss(batch.images, batch.tokens, batch.labels); });
}

Tensor CaptionerTask::step(const CaptionBatch& batch) {
  const Tensor result = loss(batch);
  optimizer.step(grad(result, optimizer.parameters()));
  return result;
}

CaptionStep whole_step(const SharedTask& task, const CompileOptions& options) {
  return compile([task](const CaptionBatch& batch) { return task->step(batch); }, options);
}

CaptionStep model_step(const SharedTask& task, const CompileOptions& options) {
  return [model = compiled_model(task, options), update = compiled_update(task, options)](const CaptionBatch& batch) {
    const LossAndGradients made = model(batch);
    const StanceScope eager(Stance::force_eager);
    update(made.gradients);
    return made.loss;
  };
}

CaptionStep model_and_optimizer_step(const SharedTask& task, const CompileOptions& options) {
  return [model = compiled_model(task, options), update = compiled_update(task, options)](const CaptionBatch& batch) {
    const LossAndGradients made = model(batch);
    update(made.gradients);
    return made.loss;
  };
}

CaptionStep foreach_map_step(const SharedTask& task, const CompileOptions& options) {
  const auto adam = std::make_shared<ForeachAdam>(
      std::vector<Parameter*>(task->optimizer.parameters().begin(), task->optimizer.parameters().end()));
  const auto update = compile([adam](const Tensors& gradients) { adam->step(gradients); }, options);
  return [model = compiled_model(task, options), update](const CaptionBatch& batch) {
    const LossAndGradients made = model(batch);
    update(made.gradients);
    return made.loss;
  };
}

CaptionStep modular_step(const SharedTask& task, const CompileOptions& encoder, const CompileOptions& decoder) {
  const auto encode = [task](const Tensor& images) {
    return captioner::in_precision(task->config, [&] { return task->model.encoder(images); });
  };
  const auto forward = compile(encode, encoder);
  const auto backward = compile(
      [task, encode](const Tensor& images, const Tensor& upstream) {
        const Tensor memory = encode(images);
        return vjp(std::span(&memory, 1), std::span(&upstream, 1), values_of(parameters(task->model.encoder)));
      },
      encoder);
  const auto decode = compile(
      [task](const Tensor& memory, const Tensor& tokens, const Tensor& labels) {
        const Tensor loss = captioner::in_precision(
            task->config, [&] { return captioner::caption_loss(task->model.decoder, memory, tokens, labels); });
        Tensors wrt = values_of(parameters(task->model.decoder));
        wrt.push_back(memory);
        return LossAndGradients{loss, grad(loss, std::span<const Tensor>(wrt))};
      },
      decoder);
  return [=, update = compiled_update(task, encoder)](const CaptionBatch& batch) {
    const LossAndGradients made = decode(forward(batch.images), batch.tokens, batch.labels);
    Tensors gradients = backward(batch.images, made.gradients.back());  // those of the encoder come first
    gradients.insert(gradients.end(), made.gradients.begin(), made.gradients.end() - 1);
    update(gradients);
    return made.loss;
  };
}

CaptionStep regional_step(const SharedTask& task, const CompileOptions& options) {
  const auto model = std::make_shared<RegionalModel>(task, options);
  return [task, model](const CaptionBatch& batch) { return model->step(*task, batch); };
}

}  // namespace weft::lab
