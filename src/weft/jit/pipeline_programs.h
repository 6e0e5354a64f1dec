// The programs of a pipeline: the step of a batch, with what is computed ahead for the next one. Internal to pipeline.cpp.
#pragma once

#include <memory>
#include <string>

#include <weft/jit/pipeline.h>
#include <weft/record/immediates.h>

namespace weft::compiler {
struct LookAhead;
}

namespace weft::jit {

struct PipelineProgram {
  std::shared_ptr<const runtime::Executable> executable;
  record::ImmediatePool numbers = {};
};

struct PipelinePrograms {
  compiler::Ahead ahead = compiler::Ahead::nothing;
  std::shared_ptr<const compiler::LookAhead> parts;  // null if nothing runs ahead
  std::string refusal;                               // the reason why
  PipelineProgram fill, steady, drain;
  std::string compared;  // with other choices
};

// Makes the programs of a step; of several choices, those of the best one.
PipelinePrograms make_programs(const Specialization& step, const Pipeline::Choices& choices);

// Returns a line for each kind of values that steps hand on to each other, with what a step is predicted to take without the wait for them.
// Empty if nothing is exchanged.
std::string waits_between_steps(const Specialization& step, const PipelinePrograms& programs);

// Returns the program of each step once the pipeline is filled. It knows what its launches give to each other.
std::shared_ptr<const runtime::Executable> steady_of(const Specialization& step, const PipelinePrograms& programs);

}  // namespace weft::jit
