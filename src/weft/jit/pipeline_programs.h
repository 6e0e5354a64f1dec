// The programs of a pipeline: the step of a batch, with what is computed ahead for the next one. Internal to pipeline.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <weft/compiler/spmd/look_ahead.h>
#include <weft/jit/pipeline.h>
#include <weft/record/immediates.h>

namespace weft::jit {

struct PipelineProgram {
  std::shared_ptr<const runtime::Executable> executable;
  record::ImmediatePool numbers = {};
};

struct PipelinePrograms {
  compiler::Ahead ahead = compiler::Ahead::nothing;
  std::optional<compiler::LookAhead> parts;
  std::string refusal;  // the reason why there are no parts
  PipelineProgram fill, steady, drain;
  std::string compared;  // with other choices
};

// Makes the programs of a step; of several choices, those of the best one.
PipelinePrograms make_programs(const Specialization& step, const Pipeline::Choices& choices);

Pipeline::Steady steady_of(const Specialization& step, const PipelinePrograms& programs);

}  // namespace weft::jit
