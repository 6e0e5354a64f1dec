#include <weft/compiler/library/short_product.h>

#include <algorithm>
#include <array>

#include <weft/base/convert.h>
#include <weft/base/error.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

namespace {

// Computing this many terms takes about as long as reading the operands.
constexpr std::int64_t most_terms = 8;
constexpr std::int64_t columns_of_a_block = 64;

using Terms = std::array<float, most_terms>;

// Calls f with the C++ type of a float of at most 32 bits.
void visit_short_float(DType dtype, auto&& f) {
  visit(dtype, [&]<class T>(T tag) {
    if constexpr (is_float_type<T> && sizeof(T) <= sizeof(float)) f(tag);
  });
}

class ShortProductThunk final : public runtime::Thunk {
 public:
  ShortProductThunk(const Product& product, std::span<const ProductOperand> operands)
      : lhs_type_(product.lhs), rhs_type_(product.rhs), result_type_(product.result) {
    const MatmulShape& shape = product.shape;
    std::ranges::copy(operands, operands_.begin());
    for (std::size_t d = 0; d < shape.batch.size(); ++d)
      batch_.push_back({shape.batch[d].value(), shape.lhs[d].value(), shape.rhs[d].value()});
    const std::size_t rank = shape.batch.size();
    m_ = shape.m.value();
    n_ = shape.n.value();
    k_ = shape.k.value();
    lhs_row_ = shape.lhs[rank].value();
    lhs_term_ = shape.lhs[rank + 1].value();
    rhs_term_ = shape.rhs[rank].value();
    rhs_column_ = shape.rhs[rank + 1].value();
  }

  void run(const runtime::Launch& launch) const override {
    const auto at = [&](std::size_t i) { return launch.at(operands_[i].slice) + operands_[i].offset; };
    const std::byte *const lhs = at(0), *const rhs = at(1);
    std::byte* const result = at(2);
    std::int64_t rows = m_;
    for (const Batch& batch : batch_) rows *= batch.size;
    const std::int64_t work = std::max<std::int64_t>(1, n_ * k_);
    runtime::parallel_for(rows, std::max<std::int64_t>(1, 16384 / work), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) add_row(lhs, rhs, result, row);
    });
  }

 private:
  struct Batch {
    std::int64_t size, lhs, rhs;  // size and strides
  };

  void add_row(const std::byte* lhs, const std::byte* rhs, std::byte* result, std::int64_t row) const {
    std::int64_t lhs_at = row % m_ * lhs_row_, rhs_at = 0, rest = row / m_;
    for (std::size_t d = batch_.size(); d-- > 0; rest /= batch_[d].size) {
      lhs_at += rest % batch_[d].size * batch_[d].lhs;
      rhs_at += rest % batch_[d].size * batch_[d].rhs;
    }
    Terms terms{};
    visit_short_float(lhs_type_, [&]<class T>(T) {
      const T* x = reinterpret_cast<const T*>(lhs) + lhs_at;
      for (std::int64_t k = 0; k < k_; ++k) terms[k] = convert_element<float>(x[k * lhs_term_]);
    });
    for (std::int64_t column = 0; column < n_; column += columns_of_a_block) {
      const std::int64_t count = std::min(columns_of_a_block, n_ - column);
      std::array<float, columns_of_a_block> sums{};
      visit_short_float(rhs_type_, [&]<class T>(T) {
        add_columns(terms, reinterpret_cast<const T*>(rhs) + rhs_at + column * rhs_column_, count, sums.data());
      });
      visit_short_float(result_type_, [&]<class T>(T) {
        std::transform(sums.data(), sums.data() + count, reinterpret_cast<T*>(result) + row * n_ + column,
                       [](float sum) { return convert_element<T>(sum); });
      });
    }
  }

  template <class T>
  void add_columns(const Terms& terms, const T* rhs, std::int64_t count, float* sums) const {
    for (std::int64_t k = 0; k < k_; ++k) {
      const float term = terms[k];
      const T* row = rhs + k * rhs_term_;
      if (rhs_column_ == 1)
        for (std::int64_t j = 0; j < count; ++j) sums[j] += term * convert_element<float>(row[j]);
      else
        for (std::int64_t j = 0; j < count; ++j) sums[j] += term * convert_element<float>(row[j * rhs_column_]);
    }
  }

  DType lhs_type_, rhs_type_, result_type_;
  std::array<ProductOperand, 3> operands_;
  std::vector<Batch> batch_;
  std::int64_t m_ = 0, n_ = 0, k_ = 0, lhs_row_ = 0, lhs_term_ = 0, rhs_term_ = 0, rhs_column_ = 0;
};

}  // namespace

bool is_short(const Product& product) {
  const auto fits = [](DType dtype) { return is_float(dtype) && !is_narrow(dtype) && byte_size(dtype) <= 4; };
  return product.steps.empty() && product.shape.k.value() <= most_terms && fits(product.lhs) && fits(product.rhs) &&
         fits(product.result);
}

std::unique_ptr<runtime::Thunk> short_product_thunk(const Product& product, std::span<const ProductOperand> operands) {
  WEFT_ASSERT(operands.size() == 3, "a product without steps has three operands");
  return std::make_unique<ShortProductThunk>(product, operands);
}

}  // namespace weft::compiler
