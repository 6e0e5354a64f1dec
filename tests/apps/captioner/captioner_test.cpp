#include <cmath>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <apps/captioner/caption_evaluation.h>
#include <apps/captioner/caption_sheet.h>
#include <apps/captioner/captioner_data.h>
#include <apps/captioner/captioner_trainer.h>
#include <apps/captioner/shapes_dataset.h>
#include <weft/base/error.h>
#include <weft/base/metrics.h>
#include <weft/record/sync.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/random.h>
#include <weft/train/config_settings.h>

namespace weft::captioner {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

CaptionerConfig tiny() {
  CaptionerConfig config = captioner_presets()[0].config;
  config.sizes = {.encoder_layers = 1,
                  .decoder_layers = 1,
                  .width = 32,
                  .heads = 2,
                  .image = 16,
                  .patch = 8,
                  .vocabulary = 26,
                  .context = 11};
  config.batch = 8;
  config.warmup = 2;
  config.lr = 3e-3;
  return config;
}

// Compares part by part with Hugging Face's VisionEncoderDecoderModel of the ViT-base and GPT-2 configs without the
// pooler, with 1024 tokens and 256 positions.
TEST(Captioner, HasTheParametersOfTheArticlesModel) {
  const std::int64_t w = 768;
  const std::int64_t vit_layer = 4 * (w * w + w) + (w * 4 * w + 4 * w) + (4 * w * w + w) + 2 * 2 * w;
  const std::int64_t vit = w + 197 * w + (w * 3 * 16 * 16 + w) + 12 * vit_layer + 2 * w;
  const std::int64_t gpt_layer = (w * 3 * w + 3 * w) + (w * w + w)  // attn.c_attn, attn.c_proj
                                 + (w * 2 * w + 2 * w) + (w * w + w) +
                                 (w * w + w)  // crossattention: c_attn, q_attn, c_proj
                                 + (w * 4 * w + 4 * w) + (4 * w * w + w) + 3 * 2 * w;  // mlp, three norms
  const std::int64_t gpt = 1024 * w + 256 * w + 12 * gpt_layer + 2 * w;
  EXPECT_EQ(Captioner::parameter_count({}), static_cast<double>(vit + gpt));
  for (const CaptionerPreset& preset : captioner_presets()) {
    if (preset.size == "full") continue;
    Captioner model(preset.config.sizes, 0);
    EXPECT_EQ(static_cast<double>(parameter_count(model)), Captioner::parameter_count(preset.config.sizes));
  }
}

// Runs training steps on short captions, padded to any length.
class StepsOfLengths {
 public:
  explicit StepsOfLengths(const CaptionerConfig& config) : trainer_(std::make_unique<CaptionerTrainer>(config)) {
    clear_graph_cache();
    const CaptionSource source = caption_source(config, Split::held_out, config.batch);
    for (std::int64_t i = 0; i < config.batch; ++i) {
      samples_.push_back(source[i]);
      samples_.back().caption.resize(2, end_token);
    }
  }
  double operator()(std::int64_t length) const {
    return trainer_->step(0, CaptionCollator(data::PaddingPolicy::fixed(length))(samples_), 1e-3).get();
  }

 private:
  std::unique_ptr<CaptionerTrainer> trainer_;
  std::vector<CaptionedImage> samples_;
};

TEST(Captioner, StepsOfAllBucketsAreCompiledWithTheFirst) {
  CaptionerConfig config = tiny();
  config.padding = "buckets:3,4,5,6,7,8,9,10,11";  // more than the default recompile limit
  const StepsOfLengths step(config);
  step(5);
  const std::uint64_t compiles = metrics::uncached_compile.value();
  for (std::int64_t length = 3; length <= 11; ++length) EXPECT_TRUE(std::isfinite(step(length)));
  EXPECT_EQ(metrics::uncached_compile.value(), compiles);
  EXPECT_THAT([&] { step(2); }, ThrowsMessage<Error>(HasSubstr("length of 3, 4, 5")));
}

TEST(Captioner, StepsOfAnyLengthAreOneProgram) {
  CaptionerConfig config = tiny();
  config.padding = "longest";
  const StepsOfLengths step(config);
  step(5);
  const std::uint64_t compiles = metrics::uncached_compile.value();
  for (const std::int64_t length : {11, 3, 8, 2}) EXPECT_TRUE(std::isfinite(step(length)));
  EXPECT_EQ(metrics::uncached_compile.value(), compiles);
  EXPECT_THAT([&] { step(12); }, ThrowsMessage<Error>(HasSubstr("length in [1, 11]")));
}

TEST(Captioner, Shapes) {
  const CaptionerConfig config = tiny();
  Captioner model(config.sizes, 1);
  const Tensor images = random::normal(random::Key(1), {3, 3, 16, 16});
  const Tensor memory = model.encoder(images);
  EXPECT_EQ(memory.shape(), (Shape{3, 5, 32}));
  const Tensor tokens = full({3, 7}, 1, DType::i32);
  EXPECT_EQ(model.decoder.logits(model.decoder(tokens, memory)).shape(), (Shape{3, 7, 26}));
  EXPECT_EQ(model.next_token(memory, tokens, tensor(2)).shape(), (Shape{3}));
  EXPECT_EQ(model.loss(images, tokens, tokens).rank(), 0);
  EXPECT_THAT([&] { model.encoder(full({3, 3, 8, 8}, 0.f)); },
              ThrowsMessage<Error>(HasSubstr("images must be [batch, 3, 16, 16]")));
  EXPECT_THAT([&] { model.decoder(full({3, 12}, 1, DType::i32), memory); },
              ThrowsMessage<Error>(HasSubstr("at most 11")));
}

// A position attends to earlier positions, and to the whole picture.
TEST(Captioner, PaddingBehindATokenChangesNothing) {
  Captioner model(tiny().sizes, 1);
  const Tensor memory = model.encoder(random::normal(random::Key(1), {1, 3, 16, 16}));
  const auto logits = [&](std::vector<std::int32_t> tokens, const Tensor& seen) {
    const auto length = std::ssize(tokens);
    return model.decoder.logits(model.decoder(from_vector(tokens, {1, length}), seen)).to_vector<float>();
  };
  const auto a = logits({1, 5, 6}, memory), b = logits({1, 5, 6, 0, 0}, memory), c = logits({1, 5, 7}, memory),
             d = logits({1, 5, 6}, memory + 1.0);
  for (std::size_t i = 0; i < 3 * 26; ++i) EXPECT_NEAR(a[i], b[i], 1e-5);
  for (std::size_t i = 0; i < 2 * 26; ++i) EXPECT_NEAR(a[i], c[i], 1e-5);
  EXPECT_NE(std::vector(a.begin() + 52, a.end()), std::vector(c.begin() + 52, c.end()));
  EXPECT_NE(a, d);
}

TEST(CaptionerTrainer, AFewStepsLowerTheLoss) {
  for (const char* dtype : {"f32", "bf16"}) {
    CaptionerConfig config = tiny();
    config.dtype = dtype;
    CaptionerTrainer trainer(config);
    CaptionBatches batches(config, 2);
    std::vector<double> losses;
    for (std::int64_t step = 0; step < 40; ++step)
      losses.push_back(trainer.step(step, batches.next(), config.learning_rate(step)).get());
    EXPECT_NEAR(losses.front(), std::log(26), 0.3) << dtype;
    EXPECT_LT(losses.back(), losses.front() - 1) << dtype;
  }
}

TEST(CaptionerTrainer, ScoresWhatItSays) {
  const CaptionerConfig config = tiny();
  CaptionerTrainer trainer(config);
  const CaptionScore score = evaluate_captions(trainer, config, 20, 7);
  EXPECT_EQ(score.pictures, 20);
  ASSERT_EQ(score.examples.size(), 7u);
  const ShapesDataset shapes(Split::held_out, 0, 20, 16);
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_EQ(score.examples[i].truth, shapes.scene(static_cast<std::int64_t>(i)).sentence);
  EXPECT_LT(score.accuracy, 0.5) << "it was not trained";
  EXPECT_LT(score.token_accuracy, 0.9);
  for (const auto& said : trainer.captions(zeros({2, 3, 16, 16}))) EXPECT_LE(said.size(), 11u);
  CaptionerConfig random = config;
  random.data = "random";
  EXPECT_THAT([&] { evaluate_captions(trainer, random, 1, 1); }, ThrowsMessage<Error>(HasSubstr("cannot be known")));
}

TEST(CaptionBatches, GoOnWhereARunWasStopped) {
  CaptionerConfig config = tiny();
  config.batch = 4;
  CaptionBatches all(config, 2), rest(config, 0, 3);
  for (int i = 0; i < 3; ++i) all.next();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(all.next().tokens.to_vector<std::int32_t>(), rest.next().tokens.to_vector<std::int32_t>());
}

TEST(CaptionSheet, MarksRightAndWrong) {
  CaptionScore score{.pictures = 2, .accuracy = 0.5, .token_accuracy = 0.75};
  score.examples.push_back(
      {data::RgbImage(16, 16), "a small red circle in the middle", "a small red circle in the middle"});
  score.examples.push_back({data::RgbImage(16, 16), "a small red circle in the middle", "a small <17> cross"});
  const data::RgbImage sheet = data::decode_png(data::encode_png(draw_sheet(score)));
  const auto has = [&](const std::vector<std::uint8_t>& colour, std::int64_t from, std::int64_t to) {
    for (std::int64_t x = from; x < to; ++x)
      for (std::int64_t y = 0; y < sheet.height; ++y)
        if (std::equal(colour.begin(), colour.end(), sheet.pixel(x, y))) return true;
    return false;
  };
  const std::vector<std::uint8_t> green{22, 128, 61}, red{200, 30, 30};
  EXPECT_TRUE(has(green, 0, sheet.width / 2) && has(red, sheet.width / 2, sheet.width));
  EXPECT_FALSE(has(red, 0, sheet.width / 2) || has(green, sheet.width / 2, sheet.width));
  const std::string page = html_sheet(score);
  EXPECT_THAT(page, HasSubstr("50 % of 2 captions"));
  EXPECT_THAT(page, HasSubstr("a small &lt;17> cross"));
  EXPECT_THAT(page, HasSubstr("data:image/png;base64,iVBORw0KGgo"));
  EXPECT_THAT(page, testing::Not(testing::ContainsRegex("https?:")));
}

TEST(CaptionerConfig, RoundTripAndMistakes) {
  for (const CaptionerPreset& preset : captioner_presets()) {
    EXPECT_NO_THROW(preset.config.check()) << preset.size << preset.data;
    const train::Settings settings = train::settings_of(preset.config);
    EXPECT_EQ(settings, train::settings_of(train::config_of<CaptionerConfig>(settings)));
  }
  const auto message = [](auto&& change) {
    CaptionerConfig config = captioner_presets()[1].config;
    change(config);
    try {
      config.check();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message([](auto& c) { c.sizes.patch = 5; }), HasSubstr("patch must divide the image"));
  EXPECT_THAT(message([](auto& c) { c.sizes.heads = 5; }), HasSubstr("heads must divide the width"));
  EXPECT_THAT(message([](auto& c) { c.data = "cats"; }), HasSubstr("data must be shapes or random, got cats"));
  EXPECT_THAT(message([](auto& c) { c.padding = "some"; }), HasSubstr("padding must be"));
  EXPECT_THAT(message([](auto& c) { c.padding = "multiple:x"; }), HasSubstr("x is no length"));
  EXPECT_THAT(message([](auto& c) { c.padding = "multiple:7"; }), HasSubstr("divisor of the context 256"));
  EXPECT_THAT(message([](auto& c) { c.padding = "buckets:32,64"; }), HasSubstr("largest bucket"));
  EXPECT_THAT(message([](auto& c) { c.data = "shapes", c.sizes.context = 8; }),
              HasSubstr("context must be at least 11"));
  EXPECT_THAT(message([](auto& c) { c.dtype = "f64"; }), HasSubstr("dtype must be f32 or bf16"));
  EXPECT_EQ(message([](auto& c) { c.padding = "buckets:32,64,256"; }), "");
}

}  // namespace
}  // namespace weft::captioner
