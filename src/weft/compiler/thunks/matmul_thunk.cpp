#include <weft/compiler/thunks/matmul_thunk.h>

#include <algorithm>

#include <weft/compiler/thunks/onednn.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Node;
using onednn::data_type;
using onednn::engine;
using onednn::stream;
using runtime::Slice;

namespace {

class MatmulThunk final : public runtime::Thunk {
 public:
  MatmulThunk(const dnnl::matmul::primitive_desc& description, const Slice& lhs, const Slice& rhs, const Slice& result,
              const Slice& scratch, std::size_t lhs_offset, std::size_t rhs_offset, bool strict)
      : primitive_(description),
        lhs_type_(description.src_desc()),
        rhs_type_(description.weights_desc()),
        result_type_(description.dst_desc()),
        scratch_type_(description.scratchpad_desc()),
        lhs_(lhs),
        rhs_(rhs),
        result_(result),
        scratch_(scratch),
        lhs_offset_(lhs_offset),
        rhs_offset_(rhs_offset),
        strict_(strict) {}

  void run(const runtime::Launch& launch) const override {
    dnnl::memory lhs(lhs_type_, engine(), launch.at(lhs_) + lhs_offset_);
    dnnl::memory rhs(rhs_type_, engine(), launch.at(rhs_) + rhs_offset_);
    dnnl::memory result(result_type_, engine(), launch.at(result_));
    dnnl::memory scratch(scratch_type_, engine(), scratch_.bytes ? launch.at(scratch_) : nullptr);
    primitive_.execute(
        stream(),
        {{DNNL_ARG_SRC, lhs}, {DNNL_ARG_WEIGHTS, rhs}, {DNNL_ARG_DST, result}, {DNNL_ARG_SCRATCHPAD, scratch}});
  }

 private:
  dnnl::matmul primitive_;
  dnnl::memory::desc lhs_type_, rhs_type_, result_type_, scratch_type_;
  Slice lhs_, rhs_, result_, scratch_;
  std::size_t lhs_offset_, rhs_offset_;
  bool strict_;
};

// The stride of a group of dimensions walked as one, if there is one.
struct Group {
  std::int64_t size = 1, stride = 0;
};

std::optional<Group> group(const Type& type, const std::vector<std::int64_t>& strides, ir::Ints dims) {
  Group g;
  for (std::size_t i = dims.size(); i-- > 0;) {
    const std::int64_t size = type.size(static_cast<int>(dims[i]));
    const std::int64_t stride = strides[static_cast<std::size_t>(dims[i])];
    if (size == 1) continue;
    if (g.size != 1 && stride != g.stride * g.size) return std::nullopt;
    if (g.size == 1) g.stride = stride;
    g.size *= size;
  }
  return g;
}

}  // namespace

bool matmul_supported(DType lhs, DType rhs, DType result) {
  if (lhs == DType::f32) return rhs == DType::f32 && result == DType::f32;
  return lhs == DType::bf16 && rhs == DType::bf16 && (result == DType::bf16 || result == DType::f32) &&
         __builtin_cpu_supports("avx512bf16");
}

std::optional<MatmulShape> matmul_shape(const Node& dot, const View& lhs, const View& rhs) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  const Type lhs_type = dot.operand(0).type(), rhs_type = dot.operand(1).type();
  const auto free = [](const Type& type, ir::Ints batching, ir::Ints contracting) {
    std::vector<std::int64_t> dims;
    for (int d = 0; d < type.rank(); ++d)
      if (std::ranges::find(batching, d) == batching.end() && std::ranges::find(contracting, d) == contracting.end())
        dims.push_back(d);
    return dims;
  };
  const auto lhs_free = free(lhs_type, a.lhs_batching, a.lhs_contracting);
  const auto rhs_free = free(rhs_type, a.rhs_batching, a.rhs_contracting);
  const auto m = group(lhs_type, lhs.strides, lhs_free), n = group(rhs_type, rhs.strides, rhs_free);
  const auto lk = group(lhs_type, lhs.strides, a.lhs_contracting), rk = group(rhs_type, rhs.strides, a.rhs_contracting);
  if (!m || !n || !lk || !rk) return std::nullopt;
  // oneDNN wants one of a matrix's two dimensions to be dense.
  const auto dense = [](const Group& rows, const Group& columns) {
    if (rows.size > 1 && columns.size > 1)
      return (rows.stride == 1 && columns.stride >= rows.size) || (columns.stride == 1 && rows.stride >= columns.size);
    return rows.size == 1 ? columns.size == 1 || columns.stride == 1 : rows.stride == 1;
  };
  if (!dense(*m, *lk) || !dense(*rk, *n)) return std::nullopt;
  MatmulShape shape;
  shape.m = m->size;
  shape.n = n->size;
  shape.k = lk->size;
  // Batch dimensions, neighbours merged where both operands allow it.
  std::vector<std::int64_t> lhs_strides, rhs_strides;
  for (std::size_t i = 0; i < a.lhs_batching.size(); ++i) {
    const std::int64_t size = lhs_type.size(static_cast<int>(a.lhs_batching[i]));
    const std::int64_t ls = lhs.strides[static_cast<std::size_t>(a.lhs_batching[i])],
                       rs = rhs.strides[static_cast<std::size_t>(a.rhs_batching[i])];
    if (size == 1) continue;
    if (!shape.batch.empty() && lhs_strides.back() == ls * size && rhs_strides.back() == rs * size) {
      shape.batch.back() *= size;
      lhs_strides.back() = ls;
      rhs_strides.back() = rs;
    } else {
      shape.batch.push_back(size);
      lhs_strides.push_back(ls);
      rhs_strides.push_back(rs);
    }
  }
  if (shape.batch.size() > 8) return std::nullopt;
  // A dimension of one element may claim any stride; give it one that keeps the layout plain.
  const auto pair = [](std::vector<std::int64_t> strides, Group rows, Group columns) {
    if (rows.size == 1) rows.stride = columns.size == 1 || columns.stride == 1 ? columns.size : 1;
    if (columns.size == 1) columns.stride = rows.stride == 1 && rows.size > 1 ? rows.size : 1;
    strides.push_back(rows.stride);
    strides.push_back(columns.stride);
    return strides;
  };
  shape.lhs = pair(std::move(lhs_strides), *m, *lk);
  shape.rhs = pair(std::move(rhs_strides), *rk, *n);
  return shape;
}

Unit matmul_unit(const Node& dot, const View& lhs, const View& rhs, const MatmulShape& shape, bool strict) {
  const Type type = dot.type();
  Unit unit;
  unit.reads = {storage_of(lhs.base), storage_of(rhs.base)};
  unit.writes = {ir::Value{const_cast<Node*>(&dot), 0}};
  unit.order = dot.id;
  unit.info.category = "dot";
  const double batch = static_cast<double>(type.elements()) / static_cast<double>(shape.m * shape.n);
  unit.info.flops = 2.0 * static_cast<double>(type.elements()) * static_cast<double>(shape.k);
  unit.info.bytes = static_cast<double>(type.bytes()) +
                    batch * static_cast<double>(shape.k * (shape.m * byte_size(dot.operand(0).dtype()) +
                                                           shape.n * byte_size(dot.operand(1).dtype())));

  dnnl::memory::dims lhs_dims(shape.batch), rhs_dims(shape.batch), result_dims(shape.batch);
  lhs_dims.insert(lhs_dims.end(), {shape.m, shape.k});
  rhs_dims.insert(rhs_dims.end(), {shape.k, shape.n});
  result_dims.insert(result_dims.end(), {shape.m, shape.n});
  dnnl::memory::dims result_strides(result_dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = result_dims.size(); i-- > 0;) {
    result_strides[i] = stride;
    stride *= result_dims[i];
  }
  const dnnl::memory::desc lhs_type(lhs_dims, *data_type(dot.operand(0).dtype()), shape.lhs),
      rhs_type(rhs_dims, *data_type(dot.operand(1).dtype()), shape.rhs),
      result_type(result_dims, *data_type(type.dtype()), result_strides);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(lhs_type, rhs_type, result_type), attributes,
                                                 engine());
  unit.scratch_bytes = description.scratchpad_desc().get_size();
  const auto lhs_offset = static_cast<std::size_t>(lhs.offset * byte_size(dot.operand(0).dtype()));
  const auto rhs_offset = static_cast<std::size_t>(rhs.offset * byte_size(dot.operand(1).dtype()));
  unit.make = [=](std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
    return std::make_unique<MatmulThunk>(description, reads[0], reads[1], writes[0], scratch, lhs_offset, rhs_offset,
                                         strict);
  };
  return unit;
}

}  // namespace weft::compiler
