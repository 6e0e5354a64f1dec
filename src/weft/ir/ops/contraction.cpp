// Type rules of contractions.
#include <weft/ir/ops/contraction.h>

#include <weft/ir/num_bits.h>
#include <weft/ir/ops/rules.h>
#include <weft/ir/ops/window.h>

namespace weft::ir {

namespace {

// Returns the dtype of the result: the operands' dtype, or a requested wider one of the same class.
DType accumulated_dtype(const Call& call) {
  const DType dtype = call.type(0).dtype();
  require_domain(call, 0);
  call.require(call.type(1).dtype() == dtype, "operands must have one dtype, got ", dtype, " and ",
               call.type(1).dtype());
  if (call.requested.empty()) return dtype;
  const DType asked = call.requested_type().dtype();
  const bool one_class = (is_float(dtype) && is_float(asked)) ||
                         (is_signed_integer(dtype) && is_signed_integer(asked)) ||
                         (is_unsigned_integer(dtype) && is_unsigned_integer(asked));
  call.require(asked == dtype || (one_class && num_bits(asked) > num_bits(dtype)), "cannot accumulate ", dtype, " in ",
               asked);
  return asked;
}

void require_pairs(const Call& call, std::string_view what, Ints lhs, Ints rhs) {
  call.require(lhs.size() == rhs.size(), "lhs has ", lhs.size(), " ", what, " dimensions, rhs has ", rhs.size());
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    const Dim a = call.type(0).dim(lhs[i]), b = call.type(1).dim(rhs[i]);
    call.require(a == b, what, " dimension ", lhs[i], " of lhs has size ", a, ", dimension ", rhs[i],
                 " of rhs has size ", b);
  }
}

// Requires that the batching and contracting dimensions of an operand are in range and distinct; returns all of them as a set.
DimSet require_split(const Call& call, std::string_view batching_name, Ints batching, std::string_view contracting_name,
                     Ints contracting, int rank) {
  const DimSet a = require_dimensions(call, batching_name, batching, rank),
               b = require_dimensions(call, contracting_name, contracting, rank);
  call.require((a & b) == 0, batching_name, " and ", contracting_name, " share a dimension");
  return a | b;
}

void push_others(DimList& dims, Type type, DimSet taken) {
  for (int d = 0; d < type.rank(); ++d)
    if (!has(taken, d)) dims.push_back(type.dim(d));
}

// Requires that the dimension numbers of an operand or the result of a convolution cover all of its dimensions.
void require_layout(const Call& call, std::string_view what, std::int64_t first, std::int64_t second, Ints spatial,
                    int rank) {
  call.require(std::ssize(spatial) + 2 == rank, what, " has ", spatial.size(), " spatial dimensions, but rank ", rank);
  std::array<std::int64_t, Type::max_rank> all{first, second};
  std::copy(spatial.begin(), spatial.end(), all.begin() + 2);
  require_dimensions(call, what, Ints(all.data(), spatial.size() + 2), rank);
}

void require_groups(const Call& call, const ConvolutionAttributes& a, Dim batch, Dim features, Dim kernel_in,
                    Dim kernel_out) {
  call.require(a.feature_groups >= 1 && a.batch_groups >= 1,
               "feature_group_count and batch_group_count must be at least 1, got ", a.feature_groups, " and ",
               a.batch_groups);
  call.require(a.feature_groups == 1 || a.batch_groups == 1, "feature_group_count ", a.feature_groups,
               " and batch_group_count ", a.batch_groups, " cannot both exceed 1");
  call.require(kernel_in * Dim(a.feature_groups) == features, "the input has ", features,
               " features, the kernel expects ", kernel_in, " in each of ", a.feature_groups, " groups");
  call.require(a.batch_groups == 1 || batch.value() % a.batch_groups == 0, "a batch of ", batch,
               " does not divide into ", a.batch_groups, " groups");
  const std::int64_t groups = a.feature_groups * a.batch_groups;
  call.require(groups == 1 || kernel_out.value() % groups == 0, kernel_out, " output features do not divide into ",
               groups, " groups");
}

void require_lists(const Call& call, const ConvolutionAttributes& a, std::size_t spatial) {
  if (!a.strides.empty()) require_count(call, "window_strides", a.strides, spatial);
  if (!a.padding.empty()) require_count(call, "padding", a.padding, 2 * spatial);
  if (!a.lhs_dilation.empty()) require_count(call, "lhs_dilation", a.lhs_dilation, spatial);
  if (!a.rhs_dilation.empty()) require_count(call, "rhs_dilation", a.rhs_dilation, spatial);
  if (!a.reversal.empty()) require_count(call, "window_reversal", a.reversal, spatial);
}

}  // namespace

void dot_general_type(const Call& call, std::vector<Type>& results) {
  const Type lhs = call.type(0), rhs = call.type(1);
  const auto& a = call.attributes<DotAttributes>();
  const DType dtype = accumulated_dtype(call);
  const DimSet lhs_taken = require_split(call, "lhs_batching_dimensions", a.lhs_batching, "lhs_contracting_dimensions",
                                         a.lhs_contracting, lhs.rank());
  const DimSet rhs_taken = require_split(call, "rhs_batching_dimensions", a.rhs_batching, "rhs_contracting_dimensions",
                                         a.rhs_contracting, rhs.rank());
  require_pairs(call, "batching", a.lhs_batching, a.rhs_batching);
  require_pairs(call, "contracting", a.lhs_contracting, a.rhs_contracting);
  DimList dims;
  for (const std::int64_t d : a.lhs_batching) dims.push_back(lhs.dim(d));
  push_others(dims, lhs, lhs_taken);
  push_others(dims, rhs, rhs_taken);
  results.push_back(dims.type(dtype));
}

void convolution_type(const Call& call, std::vector<Type>& results) {
  const Type x = call.type(0), kernel = call.type(1);
  const auto& a = call.attributes<ConvolutionAttributes>();
  const DType dtype = accumulated_dtype(call);
  call.require(x.rank() == kernel.rank(), "input and kernel must have one rank");
  require_layout(call, "input dimensions", a.input_batch, a.input_feature, a.input_spatial, x.rank());
  require_layout(call, "kernel dimensions", a.kernel_input_feature, a.kernel_output_feature, a.kernel_spatial,
                 x.rank());
  require_layout(call, "output dimensions", a.output_batch, a.output_feature, a.output_spatial, x.rank());
  require_lists(call, a, a.input_spatial.size());
  const auto dim = [](Type type, std::int64_t d) { return type.dim(d); };
  const Dim batch = dim(x, a.input_batch), out = dim(kernel, a.kernel_output_feature);
  require_groups(call, a, batch, dim(x, a.input_feature), dim(kernel, a.kernel_input_feature), out);

  DimList dims;
  dims.resize(x.rank(), 0);
  dims[a.output_batch] = a.batch_groups == 1 ? batch : Dim(batch.value() / a.batch_groups);
  dims[a.output_feature] = out;
  for (std::size_t i = 0; i < a.input_spatial.size(); ++i) {
    const WindowDim window = window_dim(a, i, dim(kernel, a.kernel_spatial[i]).value());
    dims[a.output_spatial[i]] = window_positions(call, a.input_spatial[i], window, dim(x, a.input_spatial[i]));
  }
  results.push_back(dims.type(dtype));
}

}  // namespace weft::ir
