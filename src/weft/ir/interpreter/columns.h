// A ScalarBuilder that computes values: a Scalar is a column of elements, and every operation is applied to the whole column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <weft/ir/scalar.h>

namespace weft::ir::interpreter {

class Columns final : public ScalarBuilder {
 public:
  explicit Columns(std::int64_t size) : size_(size) {}

  // Return a column of elements that must outlive this object: one element per row, or one for all rows.
  Scalar rows(DType dtype, const std::byte* elements);
  Scalar same_for_all(DType dtype, const std::byte* element);

  Scalar constant(DType dtype, double value) override;
  Scalar apply(Prim prim, std::initializer_list<Scalar> operands) override;
  Scalar compare(Direction direction, Scalar a, Scalar b) override;
  Scalar select(Scalar predicate, Scalar on_true, Scalar on_false) override;
  Scalar convert(Scalar value, DType dtype) override;
  Scalar bitcast(Scalar value, DType dtype) override;

  // Writes the elements of a column to `to`, one per row.
  void read(Scalar column, std::byte* to) const;

 private:
  struct Column {
    const std::byte* elements;
    std::size_t step;            // 1, or 0 if all rows have the same element
    std::vector<std::byte> own;  // the elements, if they were computed here
  };

  // A view of a column in loops: element i of a column of T.
  template <class T>
  struct Elements {
    const T* at;
    std::size_t step;
    T operator[](std::size_t i) const { return at[i * step]; }
  };
  template <class T>
  Elements<T> elements(Scalar column) const {
    const Column& c = columns_[column.id];
    return {reinterpret_cast<const T*>(c.elements), c.step};
  }

  Scalar add(DType dtype, Column column);
  // Returns a new column of R whose row i is f(i). f is called once if the operands are the same for all rows.
  template <class R, class F>
  Scalar fill(std::initializer_list<Scalar> operands, F&& f);

  std::size_t size_;
  std::deque<Column> columns_;
};

}  // namespace weft::ir::interpreter
