// Tensors in NumPy's files: .npy holds one array, .npz several with names. npy.h says which forms are read.
#pragma once

#include <map>
#include <string>

#include <weft/tensor/tensor.h>

namespace weft::data {

// Both throw Error for complex numbers.
Tensor load_npy(const std::string& path);
// Reads every array: numpy.savez(path, images=...) gives the name "images".
std::map<std::string, Tensor> load_npz(const std::string& path);

// Write atomically, and block until the values are computed.
void save_npy(const Tensor& tensor, const std::string& path);
// Writes what numpy.load(path)["images"] reads: save_npz({{"images", images}, {"labels", labels}}, "digits.npz").
void save_npz(const std::map<std::string, Tensor>& tensors, const std::string& path);

}  // namespace weft::data
