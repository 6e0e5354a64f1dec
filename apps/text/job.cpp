#include <apps/text/job.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>
#include <system_error>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/json.h>

namespace weft::text {

namespace {

using nlohmann::json;

constexpr const char* config_name = "config.json";
constexpr const char* weights_name = "init.safetensors";
constexpr const char* batches_name = "batches.safetensors";

// The fields with the same name in config.json and in TextConfig.
void shared_fields(auto& config, auto&& field) {
  field("layers", config.layers);
  field("width", config.width);
  field("heads", config.heads);
  field("context", config.context);
  field("batch", config.batch);
  field("tied", config.tied);
  field("eps", config.eps);
  field("weight_decay", config.weight_decay);
  field("clip", config.clip);
  field("dtype", config.dtype);
}

}  // namespace

Job::Job(const std::filesystem::path& folder) : weights_(folder / weights_name), batches_(folder / batches_name) {
  const auto path = folder / config_name;
  try {
    const json text = parse_json(read_file(path));
    const JsonValue config(text, "the config");
    shared_fields(config_, [&](const char* name, auto& value) { config.at(name).read(value); });
    const auto betas = config.at("betas").list(2);
    betas[0].read(config_.beta1);
    betas[1].read(config_.beta2);
    config.at("lr").read(lr_);
    threads_ = config.at("threads").integer<int>(0);
    require(config.at("vocab").integer<std::int64_t>() == TextDataset::vocabulary, "vocab must be ",
            TextDataset::vocabulary);
    require(std::cmp_equal(config.at("steps").integer<std::int64_t>(1), lr_.size()),
            "lr must have one entry for each of the steps");
    config_.check();
  } catch (const Error& error) {
    fail(path.string(), ": not a job's config: ", error.what());
  }
  const Type expected(int32, {steps(), config_.batch, config_.context + 1});
  tokens_ = batches_.find("tokens");
  const std::string batches = (folder / batches_name).string();
  require(tokens_ != nullptr, batches, ": it has no tensor named tokens");
  require(tokens_->type == expected, batches, ": tokens must be ", expected, ", is ", tokens_->type);
}

void Job::batch(std::int64_t step, std::span<std::int32_t> tokens) const {
  batches_.file().read(tokens_->offset + step * tokens.size_bytes(), std::as_writable_bytes(tokens));
  const auto stray = std::ranges::find_if(tokens, [](std::int32_t t) { return t < 0 || t >= TextDataset::vocabulary; });
  require(stray == tokens.end(), batches_.file().path().string(), ": step ", step, " has the token ",
          stray == tokens.end() ? 0 : *stray, ", the vocabulary has ", TextDataset::vocabulary);
}

void write_job(const std::filesystem::path& folder, const TextConfig& config, std::int64_t steps, int threads,
               std::span<const data::TensorBytes> weights, const TextDataset& text) {
  make_folder(folder);
  std::vector<double> lr;
  const std::size_t batch_tokens = config.batch * text.window();
  std::vector<std::int32_t> tokens(steps * batch_tokens);
  for (std::int64_t step = 0; step < steps; ++step) {
    lr.push_back(config.learning_rate(step));
    text.train_batch(config.seed, step, std::span(tokens).subspan(step * batch_tokens, batch_tokens));
  }
  const data::TensorBytes batches{"tokens", Type(int32, {steps, config.batch, text.window()}),
                                  std::as_bytes(std::span(tokens))};
  data::write_safetensors(folder / batches_name, std::span(&batches, 1));
  data::write_safetensors(folder / weights_name, weights);

  json root = {{"vocab", TextDataset::vocabulary},
               {"steps", steps},
               {"lr", lr},
               {"betas", {config.beta1, config.beta2}},
               {"threads", threads}};
  shared_fields(config, [&](const char* name, const auto& value) { root[name] = value; });
  write_file(folder / config_name, print_json(root, 2) + "\n");
}

}  // namespace weft::text
