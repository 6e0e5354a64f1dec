// Random calls with operands of random shapes and dtypes: each either throws at the call, with a message that starts
// with a public name and shows a type, or its result can be read. There are no internal errors, and no errors when
// reading.
#include <random>

#include <weft/base/knobs.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

class Calls {
 public:
  explicit Calls(unsigned seed) : random_(seed) {}

  Tensor operand() {
    static constexpr DType dtypes[] = {DType::f32, DType::f32, DType::f32, DType::f64,    DType::bf16,
                                       DType::i32, DType::u8,  DType::i64, DType::boolean};
    Shape shape;
    for (int rank = below(5); rank > 0; --rank) shape.push_back(Dim(sizes_[below(6)]));
    const Tensor x = from_vector(std::vector<float>(Type(DType::f32, shape).elements(), 1.f), shape);
    return convert(x, dtypes[below(9)]);
  }
  std::int64_t axis() { return below(7) - 3; }
  std::int64_t size() { return sizes_[below(6)]; }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

 private:
  static constexpr std::int64_t sizes_[] = {0, 1, 2, 3, 3, 4};
  std::mt19937 random_;
};

struct Function {
  const char* name;
  std::function<Tensor(Calls&, const Tensor&, const Tensor&, const Tensor&)> call;
};

#define WEFT_CALL(...)                                                                       \
  {#__VA_ARGS__, [](Calls& r, const Tensor& a, const Tensor& b, const Tensor& c) -> Tensor { \
     static_cast<void>(r), static_cast<void>(a), static_cast<void>(b), static_cast<void>(c); \
     return __VA_ARGS__;                                                                     \
   }}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      WEFT_CALL(a + b),
      WEFT_CALL(a / b),
      WEFT_CALL(a & b),
      WEFT_CALL(a << b),
      WEFT_CALL(a < b),
      WEFT_CALL(-a),
      WEFT_CALL(pow(a, b)),
      WEFT_CALL(remainder(a, b)),
      WEFT_CALL(where(a, b, c)),
      WEFT_CALL(clamp(a, b, c)),
      WEFT_CALL(masked_fill(a, b, 1)),
      WEFT_CALL(lerp(a, b, c)),
      WEFT_CALL(isclose(a, b)),
      WEFT_CALL(exp(a) + atan2(a, b)),
      WEFT_CALL(matmul(a, b)),
      WEFT_CALL(dot(a, b)),
      WEFT_CALL(outer(a, b)),
      WEFT_CALL(linear(a, b, c)),
      WEFT_CALL(einsum("ij,jk->ik", {a, b})),
      WEFT_CALL(einsum("bi,bi", {a, b})),
      WEFT_CALL(conv1d(a, b, {.stride = r.size(), .padding = r.axis(), .groups = r.size()})),
      WEFT_CALL(conv2d(a, b, {.stride = r.size(), .padding = r.axis(), .groups = r.size()})),
      WEFT_CALL(conv_transpose2d(a, b, c, {.stride = r.size(), .padding = r.axis(), .groups = r.size()})),
      WEFT_CALL(conv3d(a, b, c, {.stride = r.size(), .padding = r.axis(), .groups = r.size()})),
      WEFT_CALL(conv_transpose1d(a, b, {.stride = r.size(), .output_padding = r.size(), .dilation = r.size()})),
      WEFT_CALL(interpolate(a, {.size = {r.size()}, .mode = static_cast<Interpolation>(r.below(5))})),
      WEFT_CALL(interpolate(a, {.scale = {r.below(4) * 0.5}, .mode = Interpolation::linear, .antialias = true})),
      WEFT_CALL(pixel_shuffle(a, r.size())),
      WEFT_CALL(pixel_unshuffle(a, r.size())),
      WEFT_CALL(instance_norm(a)),
      WEFT_CALL(rotary_embedding(a, b, {.interleaved = r.below(2) == 0, .width = r.size()})),
      WEFT_CALL(scaled_dot_product_attention(a, b, c, {.causal = r.below(2) == 0, .enable_gqa = true})),
      WEFT_CALL(scaled_dot_product_attention(a, a, a, {.mask = b, .enable_gqa = true})),
      WEFT_CALL(ctc_loss(a, b, c, c, {.blank = r.size()})),
      WEFT_CALL(max_pool1d(a, r.size(), {.dilation = r.size()})),
      WEFT_CALL(
          max_pool2d(a, r.size(), {.stride = r.size(), .padding = r.size(), .dilation = r.size(), .ceil_mode = true})),
      WEFT_CALL(avg_pool2d(a, r.size(), {.stride = r.size(), .padding = r.size(), .count_include_pad = false})),
      WEFT_CALL(adaptive_max_pool2d(a, r.size())),
      WEFT_CALL(adaptive_avg_pool1d(a, r.size())),
      WEFT_CALL(reshape(a, {r.size(), r.size()})),
      WEFT_CALL(reshape(a, {r.size(), -1})),
      WEFT_CALL(flatten(a, r.axis(), r.axis())),
      WEFT_CALL(squeeze(a, r.axis())),
      WEFT_CALL(unsqueeze(a, r.axis())),
      WEFT_CALL(broadcast_to(a, b.shape())),
      WEFT_CALL(permute(a, {r.axis(), r.axis(), r.axis()})),
      WEFT_CALL(transpose(a, r.axis(), r.axis())),
      WEFT_CALL(slice(a, r.axis(), r.axis(), r.axis(), r.axis())),
      WEFT_CALL(narrow(a, r.axis(), r.axis(), r.size())),
      WEFT_CALL(select(a, r.axis(), r.axis())),
      WEFT_CALL(index(a, {r.axis(), Slice{r.axis(), r.axis()}})),
      WEFT_CALL(concatenate({a, b, c}, r.axis())),
      WEFT_CALL(stack({a, b}, r.axis())),
      WEFT_CALL(concatenate(split(a, r.size(), r.axis()))),
      WEFT_CALL(concatenate(chunk(a, r.size(), r.axis()))),
      WEFT_CALL(flip(a, {r.axis(), r.axis()})),
      WEFT_CALL(pad(a, {{r.axis(), r.axis()}, {r.axis(), r.axis()}}, 2)),
      WEFT_CALL(repeat(a, r.size(), r.axis())),
      WEFT_CALL(tile(a, r.size(), r.axis())),
      WEFT_CALL(roll(a, r.axis(), r.axis())),
      WEFT_CALL(tril(a, r.axis())),
      WEFT_CALL(sum(a, {r.axis(), r.axis()})),
      WEFT_CALL(mean(a, r.axis())),
      WEFT_CALL(var(a, r.axis())),
      WEFT_CALL(max(a, r.axis())),
      WEFT_CALL(argmax(a, r.axis())),
      WEFT_CALL(cumsum(a, r.axis())),
      WEFT_CALL(sort(a, r.axis())),
      WEFT_CALL(topk(a, r.size()).values),
      WEFT_CALL(logsumexp(a, r.axis())),
      WEFT_CALL(take(a, b, r.axis())),
      WEFT_CALL(embedding(a, b)),
      WEFT_CALL(gather(a, r.axis(), b)),
      WEFT_CALL(scatter_add(a, r.axis(), b, c)),
      WEFT_CALL(index_add(a, r.axis(), b, c)),
      WEFT_CALL(one_hot(a, r.size())),
      WEFT_CALL(softmax(a, r.axis())),
      WEFT_CALL(log_softmax(a, r.axis())),
      WEFT_CALL(layer_norm(a, b, c)),
      WEFT_CALL(rms_norm(a, b)),
      WEFT_CALL(batch_norm(a, {b, c})),
      WEFT_CALL(group_norm(a, r.size())),
      WEFT_CALL(normalize(a, r.axis())),
      WEFT_CALL(cosine_similarity(a, b, r.axis())),
      WEFT_CALL(glu(a, r.axis())),
      WEFT_CALL(scaled_dot_product_attention(a, b, c, {.causal = true})),
      WEFT_CALL(scaled_dot_product_attention(a, a, a, {.mask = b})),
      WEFT_CALL(cross_entropy(a, b)),
      WEFT_CALL(nll_loss(a, b)),
      WEFT_CALL(mse_loss(a, b)),
      WEFT_CALL(huber_loss(a, b)),
      WEFT_CALL(kl_div(a, b)),
      WEFT_CALL(binary_cross_entropy_with_logits(a, b)),
      WEFT_CALL(dropout(a, 0.5)),
      WEFT_CALL(random::categorical(random::Key(1), a)),
      WEFT_CALL(bernoulli(a.shape(), b)),
      WEFT_CALL(grad(sum(a * b), a)),
      WEFT_CALL(nn::Linear(3, 2)(a)),
      WEFT_CALL(nn::LSTM(3, 2)(a).values),
      WEFT_CALL(nn::GRU(3, 2, 1, {.bidirectional = true})(a, {}, b).values),
      WEFT_CALL(nn::RNNCell(3, 2)(a, b)),
      WEFT_CALL(nn::MultiheadAttention(4, 2)(a)),
      WEFT_CALL(nn::BatchNorm(3)(a)),
      WEFT_CALL(nn::Embedding(3, 2)(a)),
  };
  return all;
}

TEST(Fuzz, CallsAreRefusedAtOnceOrCanBeRead) {
  Calls random(1);
  int refused = 0, read = 0;
  for (const Function& function : functions()) {
    for (int i = 0; i < 30; ++i) {
      // Only sometimes compiled, because compiling is slower.
      const knobs::Override backend(knobs::backend, i % 10 == 0 ? "compiled" : "interpreter");
      const Tensor a = random.operand(), b = random.operand(), c = random.operand();
      sync();
      const auto context = [&] { return concat(function.name, " of ", a.type(), ", ", b.type(), ", ", c.type()); };
      Tensor result;
      try {
        result = function.call(random, a, b, c);
      } catch (const Error& error) {
        ++refused;
        const std::string message = error.what();
        EXPECT_EQ(message.find('\n'), message.npos) << context();
        EXPECT_NE(message.find(": "), message.npos) << context() << "\n" << message;
        continue;
      } catch (const std::exception& error) {
        ADD_FAILURE() << context() << "\n" << error.what();
        continue;
      }
      try {
        result.to_vector<double>();
        ++read;
      } catch (const std::exception& error) {
        ADD_FAILURE() << context() << " gives " << result.type() << "\n" << error.what();
        result = {};
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace weft
