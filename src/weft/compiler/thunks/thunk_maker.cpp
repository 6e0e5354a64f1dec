#include <weft/compiler/thunks/thunk_maker.h>

#include <memory>
#include <utility>
#include <variant>

#include <weft/compiler/library/cuda/gpu_product.h>
#include <weft/compiler/library/matmul_thunk.h>
#include <weft/compiler/library/product_unit.h>
#include <weft/compiler/thunks/attention_unit.h>
#include <weft/compiler/thunks/control_thunk.h>
#include <weft/compiler/thunks/copy_thunk.h>
#include <weft/compiler/thunks/embedding_thunk.h>
#include <weft/compiler/thunks/interpret_thunk.h>
#include <weft/compiler/thunks/native.h>
#include <weft/compiler/thunks/row_product.h>
#include <weft/compiler/thunks/sized_unit.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

bool ThunkMaker::has_product(const Matmul& matmul) const {
  if (options_.target->is_nvidia()) return gpu_product_exists(matmul, options_.sizes);
  return matmul_exists(matmul, options_.sizes, *options_.target);
}

Unit ThunkMaker::make_product(const Matmul& matmul) const {
  if (options_.target->is_nvidia())
    return gpu_product_unit(matmul, {.strict = options_.strict, .choices = choices_}, options_.sizes);
  if (options_.strict) return matmul_unit(matmul, true, options_.sizes);
  const Target& target = options_.target->of_thunks();
  if (is_static(matmul))
    if (auto unit = row_product_unit(matmul, target, options_.sizes)) return std::move(*unit);
  Unit unit = matmul_unit(matmul, false, options_.sizes);
  if (auto* later = std::get_if<SizedLater>(&unit.form))
    later->at = [matmul, target, at_other_sizes = std::move(later->at)](const SizeValues& now) {
      auto of_row = row_product_unit(matmul, target, now);
      return of_row ? std::move(of_row) : at_other_sizes(now);
    };
  return unit;
}

Unit ThunkMaker::make_attention(const Attention& attention) const {
  return attention_unit(attention, *options_.target, options_.sizes);
}

Unit ThunkMaker::make(const ir::Node& node, std::vector<std::string>& fallbacks) const {
  const bool has_form_for_all_sizes = has_programs(node) || has_rows_of_known_width(node);
  if (!has_form_for_all_sizes && !ir::is_static(node)) return sized_unit(node, options_, fallbacks, nested_);
  return native_or_interpreted_unit(node, options_, fallbacks, nested_);
}

Unit ThunkMaker::make_copy(ir::Value value) const { return copy_unit(value, *options_.target); }

}  // namespace weft::compiler
