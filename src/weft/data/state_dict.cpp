#include <weft/data/state_dict.h>

#include <weft/base/trace.h>
#include <weft/data/safetensors.h>
#include <weft/tensor/creation.h>

namespace weft::data {

std::vector<TensorBytes> bytes_of(const StateDict& state) {
  std::vector<TensorBytes> tensors;
  for (const auto& [name, tensor] : state) tensors.push_back({name, tensor.type(), tensor.bytes()});
  return tensors;
}

void save(const StateDict& state, const std::string& path, const Metadata& metadata) {
  const trace::Scope scope("checkpoint", "save");
  write_safetensors(path, bytes_of(state), metadata);
}

StateDict load(const SafetensorsFile& file) {
  StateDict state;
  // One buffer serves all tensors: to touch fresh pages for each costs more than a copy in the background saves.
  std::vector<std::byte> bytes;
  for (const SafetensorsFile::Entry& entry : file.entries()) {
    bytes.resize(entry.type.bytes());
    file.read(entry, bytes);
    state[entry.name] = from_bytes(bytes, entry.type);
  }
  return state;
}

StateDict load(const std::string& path) { return load(SafetensorsFile(path)); }

}  // namespace weft::data
