// A parameter that holds pieces of several matrices, as devices of a mesh have them. A state dict holds the matrices, so that it can be loaded
// wherever their pieces lie. The state of an optimizer for such a parameter is saved alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

struct SavedPieces {
  struct Matrix {
    std::string name;  // in a state dict, instead of `own`
    std::int64_t rows = 0, width = 0;
  };
  // Rows and columns of a matrix, at some rows of the parameter. All pieces have as many columns as the parameter.
  struct Piece {
    std::size_t matrix = 0;
    std::int64_t first_row = 0, rows = 0, first_column = 0;
    std::int64_t at = 0;  // the first row of the parameter
  };
  std::string own;  // the part of the parameter's name that stands for it: placed.row_wise_64.weight
  std::vector<Matrix> matrices;
  std::vector<Piece> pieces;  // rows of the parameter that are in none have no meaning
};

}  // namespace weft
