// Training steps in which pipelines that are written by hand lose steps or train with values that are out of date: each is trained under a
// schedule that runs lookups ahead, and one step after the other, and compared.
#pragma once

#include <string>
#include <vector>

namespace weft::lab {

struct SparseCase {
  std::string name;
  std::string schedule;
  bool is_equal = false;  // all losses, parameters and states have the bits of the steps one after the other
  std::string told;       // by the pipeline, or by the error
};

std::vector<SparseCase> run_sparse_cases();

}  // namespace weft::lab
