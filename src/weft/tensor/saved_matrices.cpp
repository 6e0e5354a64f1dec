#include <weft/tensor/saved_matrices.h>

#include <algorithm>
#include <cstring>

#include <weft/tensor/creation.h>

namespace weft::detail {

namespace {

// One piece in the bytes of its matrix and of the parameter.
struct Place {
  std::size_t matrix = 0;  // of those that are saved
  std::int64_t rows = 0, row_bytes = 0;
  std::int64_t in_matrix = 0, stride = 0;  // bytes: where the piece begins, and from one of its rows to the next
  std::int64_t in_parameter = 0;           // rows follow each other there
};

struct Layout {
  std::vector<SavedMatrix> matrices;
  std::vector<Place> places;
};

Layout layout_of(const std::string& name, const Parameter& parameter) {
  const SavedPieces& saved = *parameter.saved_pieces;
  const Type type = parameter.type();
  const bool is_of_rows = type.rank() == 1;  // one number for each row
  const std::int64_t columns = is_of_rows ? 1 : type.size(1), element = byte_size(type.dtype());
  const std::size_t own = name.find(saved.own);
  require(own != std::string::npos, "state_dict: the parameter ", name,
          " holds pieces of matrices, and its name lacks ", saved.own);
  // The number of columns of a piece; that of a state with one number for each row follows from the others of its matrix.
  const auto width_of = [&](const SavedPieces::Piece& piece) {
    if (!is_of_rows) return columns;
    std::int64_t width = saved.matrices[piece.matrix].width;
    for (const SavedPieces::Piece& other : saved.pieces)
      if (other.matrix == piece.matrix && other.first_column > 0) width = std::min(width, other.first_column);
    return width;
  };
  Layout layout;
  const auto number_of = [&](const std::string& matrix_name, Type matrix_type) {
    const auto found = std::ranges::find(layout.matrices, matrix_name, &SavedMatrix::name);
    if (found != layout.matrices.end()) return static_cast<std::size_t>(found - layout.matrices.begin());
    layout.matrices.push_back({matrix_name, matrix_type});
    return layout.matrices.size() - 1;
  };
  for (const SavedPieces::Piece& piece : saved.pieces) {
    const SavedPieces::Matrix& matrix = saved.matrices[piece.matrix];
    std::string matrix_name = name;
    matrix_name.replace(own, saved.own.size(), matrix.name);
    const std::int64_t width = width_of(piece);
    if (is_of_rows && width < matrix.width)
      matrix_name += concat(".columns_", piece.first_column, '_', piece.first_column + width - 1);
    const Shape shape = is_of_rows ? Shape{matrix.rows} : Shape{matrix.rows, matrix.width};
    const std::int64_t stride = (is_of_rows ? 1 : matrix.width) * element;
    layout.places.push_back({.matrix = number_of(matrix_name, Type(type.dtype(), shape)),
                             .rows = piece.rows,
                             .row_bytes = columns * element,
                             .in_matrix = piece.first_row * stride + (is_of_rows ? 0 : piece.first_column * element),
                             .stride = stride,
                             .in_parameter = piece.at * columns * element});
  }
  return layout;
}

}  // namespace

std::vector<SavedMatrix> saved_matrices(const std::string& name, const Parameter& parameter) {
  return layout_of(name, parameter).matrices;
}

std::vector<std::pair<std::string, Tensor>> matrices_of(const std::string& name, const Parameter& parameter) {
  const Layout layout = layout_of(name, parameter);
  const std::span<const std::byte> from = parameter.tensor().bytes();
  std::vector<std::vector<std::byte>> to;
  for (const SavedMatrix& matrix : layout.matrices) to.emplace_back(matrix.type.bytes());
  for (const Place& place : layout.places)
    for (std::int64_t row = 0; row < place.rows; ++row)
      std::memcpy(to[place.matrix].data() + place.in_matrix + row * place.stride,
                  from.data() + place.in_parameter + row * place.row_bytes, place.row_bytes);
  std::vector<std::pair<std::string, Tensor>> made;
  for (std::size_t m = 0; m < to.size(); ++m)
    made.emplace_back(layout.matrices[m].name, from_bytes(to[m], layout.matrices[m].type));
  return made;
}

Tensor from_matrices(const std::string& name, const Parameter& parameter, const StateDict& state) {
  const Layout layout = layout_of(name, parameter);
  std::vector<Tensor> from;
  for (const SavedMatrix& matrix : layout.matrices) from.push_back(state.at(matrix.name).to(parameter.dtype()));
  std::vector<std::byte> to(parameter.type().bytes());
  for (const Place& place : layout.places) {
    const std::span<const std::byte> bytes = from[place.matrix].bytes();
    for (std::int64_t row = 0; row < place.rows; ++row)
      std::memcpy(to.data() + place.in_parameter + row * place.row_bytes,
                  bytes.data() + place.in_matrix + row * place.stride, place.row_bytes);
  }
  return from_bytes(to, parameter.type());
}

}  // namespace weft::detail
