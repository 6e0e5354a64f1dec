// What all thunks that call oneDNN share.
#pragma once

#include <dnnl.hpp>
#include <optional>

#include <weft/base/dtype.h>

namespace weft::compiler::onednn {

const dnnl::engine& engine();
dnnl::stream& stream();  // of the calling thread

// Empty for element types that oneDNN does not compute with on this machine.
std::optional<dnnl::memory::data_type> data_type(DType t);

}  // namespace weft::compiler::onednn
