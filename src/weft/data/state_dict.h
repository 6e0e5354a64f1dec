// Saves and loads state dicts as safetensors files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <weft/tensor/module.h>

namespace weft::data {

class SafetensorsFile;
struct TensorBytes;
using Metadata = std::map<std::string, std::string>;

// Writes the values of all parameters: save(state_dict(model), "model.safetensors"). Blocks until they are computed.
void save(const StateDict& state, const std::string& path, const Metadata& metadata = {});
// Reads every tensor of a file: load_state_dict(model, load("model.safetensors")).
StateDict load(const std::string& path);
StateDict load(const SafetensorsFile& file);

// Returns the bytes of each tensor, valid as long as `state` lives. Blocks until they are computed.
std::vector<TensorBytes> bytes_of(const StateDict& state);

}  // namespace weft::data
