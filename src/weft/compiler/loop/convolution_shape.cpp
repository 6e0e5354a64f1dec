#include <weft/compiler/loop/convolution_shape.h>

namespace weft::compiler {

namespace {

ConvolutionTensor tensor(Type type, std::int64_t first, std::int64_t second, ir::Ints spatial) {
  std::vector<std::int64_t> order{first, second}, strides(type.rank());
  order.insert(order.end(), spatial.begin(), spatial.end());
  row_major_strides(type.dims(), strides);
  ConvolutionTensor result;
  for (const std::int64_t d : order) {
    result.sizes.push_back(type.size(d));
    result.strides.push_back(strides[d]);
  }
  return result;
}

}  // namespace

std::int64_t ConvolutionTensor::spatial_elements() const {
  std::int64_t elements = 1;
  for (std::size_t d = 2; d < sizes.size(); ++d) elements *= sizes[d];
  return elements;
}

std::int64_t ConvolutionShape::flops() const {
  std::int64_t flops = 2;
  for (const std::int64_t size : y.sizes) flops *= size;
  for (std::size_t d = 1; d < kernel.sizes.size(); ++d) flops *= kernel.sizes[d];
  for (const ir::WindowDim& w : window) flops /= w.base_dilation;
  return flops;
}

ConvolutionShape convolution_shape(const ir::Node& convolution) {
  const auto& a = convolution.attributes<ir::ConvolutionAttributes>();
  ConvolutionShape shape;
  shape.x = tensor(convolution.operand(0).type(), a.input_batch, a.input_feature, a.input_spatial);
  shape.kernel =
      tensor(convolution.operand(1).type(), a.kernel_output_feature, a.kernel_input_feature, a.kernel_spatial);
  shape.y = tensor(convolution.type(), a.output_batch, a.output_feature, a.output_spatial);
  for (std::size_t d = 0; d < a.input_spatial.size(); ++d)
    shape.window.push_back(ir::window_dim(a, d, shape.kernel.sizes[d + 2]));
  shape.feature_groups = a.feature_groups;
  shape.batch_groups = a.batch_groups;
  shape.dtype = convolution.operand(0).dtype();
  shape.result = convolution.type().dtype();
  return shape;
}

}  // namespace weft::compiler
