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

Pipeline::Steady steady_of(const Specialization& step, const PipelinePrograms& programs);

}  // namespace weft::jit
