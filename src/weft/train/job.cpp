#include <weft/train/job.h>

#include <algorithm>

#include <nlohmann/json.hpp>
#include <system_error>

#include <weft/base/error.h>
#include <weft/base/file.h>

namespace weft::train {

namespace {

using nlohmann::json;

constexpr const char* config_name = "config.json";
constexpr const char* weights_name = "init.safetensors";
constexpr const char* batches_name = "batches.safetensors";

// Fields that are called alike in config.json and in TextConfig.
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
    const json text = json::parse(read_file(path));
    shared_fields(config_, [&](const char* name, auto& value) { text.at(name).get_to(value); });
    config_.beta1 = text.at("betas").at(0);
    config_.beta2 = text.at("betas").at(1);
    text.at("lr").get_to(lr_);
    text.at("threads").get_to(threads_);
    require(text.at("vocab") == data::TextDataset::vocabulary, "vocab must be ", data::TextDataset::vocabulary);
    require(text.at("steps") == lr_.size() && !lr_.empty(), "lr must have one entry for each of the steps");
    require(threads_ >= 0, "threads must not be negative, got ", threads_);
    config_.check();
  } catch (const json::exception& error) {
    fail(path.string(), ": not a job's config: ", error.what());
  } catch (const Error& error) {
    fail(path.string(), ": ", error.what());
  }
  const Type expected(int32, {steps(), config_.batch, config_.context + 1});
  tokens_ = batches_.find("tokens");
  const std::string batches = (folder / batches_name).string();
  require(tokens_ != nullptr, batches, ": it has no tensor named tokens");
  require(tokens_->type == expected, batches, ": tokens must be ", expected, ", is ", tokens_->type);
}

void Job::batch(std::int64_t step, std::span<std::int32_t> tokens) const {
  batches_.file().read(tokens_->offset + static_cast<std::uint64_t>(step) * tokens.size_bytes(),
                       std::as_writable_bytes(tokens));
  const auto stray =
      std::ranges::find_if(tokens, [](std::int32_t t) { return t < 0 || t >= data::TextDataset::vocabulary; });
  require(stray == tokens.end(), batches_.file().path().string(), ": step ", step, " has the token ",
          stray == tokens.end() ? 0 : *stray, ", the vocabulary has ", data::TextDataset::vocabulary);
}

void write_job(const std::filesystem::path& folder, const TextConfig& config, std::int64_t steps, int threads,
               std::span<const data::TensorBytes> weights, const data::TextDataset& text) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("cannot make the folder ", folder.string(), ": ", error.message());

  std::vector<double> lr;
  const auto batch_tokens = static_cast<std::size_t>(config.batch * text.window());
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(steps) * batch_tokens);
  for (std::int64_t step = 0; step < steps; ++step) {
    lr.push_back(config.learning_rate(step));
    text.train_batch(static_cast<std::uint64_t>(config.seed), step,
                     std::span(tokens).subspan(static_cast<std::size_t>(step) * batch_tokens, batch_tokens));
  }
  const data::TensorBytes batches{"tokens", Type(int32, {steps, config.batch, text.window()}),
                                  std::as_bytes(std::span(tokens))};
  data::write_safetensors(folder / batches_name, std::span(&batches, 1));
  data::write_safetensors(folder / weights_name, weights);

  json root = {{"vocab", data::TextDataset::vocabulary},
               {"steps", steps},
               {"lr", lr},
               {"betas", {config.beta1, config.beta2}},
               {"threads", threads}};
  shared_fields(config, [&](const char* name, const auto& value) { root[name] = value; });
  write_file(folder / config_name, root.dump(2) + "\n");
}

}  // namespace weft::train
