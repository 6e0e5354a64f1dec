// State dictionaries to and from safetensors files.
#pragma once

#include <filesystem>
#include <vector>

#include <weft/data/safetensors.h>
#include <weft/tensor/module.h>

namespace weft::data {

// Writes the values of all parameters: save(state_dict(model), "model.safetensors"). Waits for them.
void save(const StateDict& state, const std::filesystem::path& path, const Metadata& metadata = {});
// Reads every tensor of a file: load_state_dict(model, load("model.safetensors")).
StateDict load(const std::filesystem::path& path);
StateDict load(const SafetensorsFile& file);

// The bytes of each tensor, valid as long as `state` lives. Waits for them.
std::vector<TensorBytes> bytes_of(const StateDict& state);

}  // namespace weft::data
