// The algorithms of products on GPUs among the choices of autotuning (trials.h), so that later processes find them.
#pragma once

#include <weft/compiler/library/cuda/algorithm_choices.h>

namespace weft::compiler {

// Lives until the process ends.
AlgorithmChoices& stored_algorithms();

}  // namespace weft::compiler
