#include <weft/data/numpy.h>

#include <weft/base/error.h>
#include <weft/data/npy.h>
#include <weft/data/safetensors.h>
#include <weft/data/state_dict.h>
#include <weft/tensor/creation.h>

namespace weft::data {

Tensor load_npy(const std::string& path) {
  const ir::Array array = read_npy(path);
  return from_bytes(array.bytes(), array.type());
}

std::map<std::string, Tensor> load_npz(const std::string& path) {
  std::map<std::string, Tensor> tensors;
  for (const NpyArray& array : read_npz(path)) {
    require(!array.imaginary, path, ": ", array.name, ": holds complex numbers");
    const bool is_new = tensors.emplace(array.name, from_bytes(array.array.bytes(), array.array.type())).second;
    require(is_new, path, ": two arrays are called ", array.name);
  }
  return tensors;
}

void save_npy(const Tensor& tensor, const std::string& path) { write_npy(path, tensor.type(), tensor.bytes()); }

void save_npz(const std::map<std::string, Tensor>& tensors, const std::string& path) {
  write_npz(path, bytes_of(tensors));
}

}  // namespace weft::data
