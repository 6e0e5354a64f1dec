#include <weft/tensor/body_parameters.h>

#include <weft/ir/place_text.h>
#include <weft/record/recording.h>
#include <weft/tensor/parameter.h>

namespace weft::detail {

void BodyParameters::refuse(const Parameter& parameter, const Tensor& next) {
  record::Recording& recording = record::Recording::current();
  const bool is_made_here = next.defined() && next.impl().recording == &recording && !next.impl().is_input;
  const ir::Location& at = is_made_here ? next.impl().value.node->location : recording.parent()->graph().location();
  const std::string name = parameter.name().empty() ? "a parameter" : concat("the parameter ", parameter.name());
  fail(name, parameter.defined() ? concat(", ", parameter.type(), ",") : "",
       " is written inside the body of a loop, branch or checkpoint, or a function of vmap or jvp",
       at.line == 0 ? "" : ", at ", ir::place_text(at),
       ": a body is recorded, not run, and gives only what it returns; return its new value from the "
       "body, and assign that outside");
}

}  // namespace weft::detail
