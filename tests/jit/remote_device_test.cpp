// Training on a device whose memory the host cannot access and which works asynchronously: everything above the runtime
// accesses bytes only through copies, and the results are bitwise equal to those on the CPU.
#include <tests/runtime/remote_device.h>

#include <cstddef>
#include <span>
#include <vector>

#include "tests/jit/compile.h"
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::OnDevice;

struct Outcome {
  std::vector<double> losses;
  std::vector<float> parameters;
  std::int32_t wrong = 0;
};

// A small classifier with dropout, an embedding and clipped gradients, whose losses are read immediately or later.
struct Classifier {
  nn::Embedding table{11, 8};
  nn::Linear up{8, 16}, down{16, 5};
  Tensor operator()(const Tensor& words) const { return down(gelu(up(table(words)))); }
  void fields(auto&& field) {
    field("table", table);
    field("up", up);
    field("down", down);
  }
};

Outcome train_once(bool compiled) {
  manual_seed(7);
  Classifier model;
  optim::AdamW optimizer(model, {.lr = 1e-2});
  const auto step = [&](const Tensor& words, const Tensor& labels) {
    const Tensor loss = nn::cross_entropy(model(words), labels);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  };
  auto fast = compile(step);
  Outcome outcome;
  std::vector<Future<double>> later;
  for (int i = 0; i < 12; ++i) {
    const std::int64_t batch = 4 + i % 3;
    std::vector<std::int64_t> words, labels;
    for (std::int64_t k = 0; k < batch; ++k) {
      words.push_back((k * 3 + i) % 11);
      labels.push_back((k + i) % 5);
    }
    const Tensor x = from_vector(words, {batch}), y = from_vector(labels, {batch});
    const Tensor loss = compiled ? fast(x, y) : step(x, y);
    later.push_back(loss.item_async());
    if (i % 4 == 0) outcome.losses.push_back(loss.item());
    if (!compiled) sync();
  }
  for (auto& loss : later) outcome.losses.push_back(loss.get());
  for (const Tensor& parameter : std::vector<Tensor>{model.table.weight, model.up.weight, model.down.weight})
    for (const float value : parameter.to_vector<float>()) outcome.parameters.push_back(value);
  const Tensor guess = argmax(model(arange(11)), -1);
  outcome.wrong = sum((guess != 3).to(DType::i32)).item<std::int32_t>();
  return outcome;
}

TEST(RemoteDevice, TrainsToTheSameBits) {
  for (const bool compiled : {false, true}) {
    const Outcome here = train_once(compiled);
    runtime::RemoteDevice remote;
    const OnDevice scope(remote);
    const Outcome there = train_once(compiled);
    EXPECT_EQ(there.losses, here.losses) << compiled;
    EXPECT_EQ(there.parameters, here.parameters) << compiled;
    EXPECT_EQ(there.wrong, here.wrong) << compiled;
    synchronize();
    EXPECT_GT(remote.stats().launches, 10u);
  }
}

TEST(RemoteDevice, GivesTheBytesOfATensorAsOftenAsTheyAreAskedFor) {
  runtime::RemoteDevice remote;
  const OnDevice scope(remote);
  const Tensor x = arbitrary({3, 4});
  const Tensor y = x * 2;
  const std::vector<double> first = y.to_vector<double>(), second = y.to_vector<double>();
  EXPECT_EQ(first, second);
  const std::span<const std::byte> bytes = y.bytes();
  EXPECT_EQ(bytes.size(), static_cast<std::size_t>(y.type().bytes()));
  const std::vector<double> before = x.to_vector<double>();
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i], before[i] * 2);
}

}  // namespace
}  // namespace weft
