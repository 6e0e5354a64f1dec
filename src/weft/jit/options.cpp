#include <weft/jit/options.h>

#include <weft/base/error.h>
#include <weft/record/backend.h>

namespace weft::jit {

const char* text(Mode mode) {
  switch (mode) {
    case Mode::standard: return "mode standard";
    case Mode::reduce_overhead: return "mode reduce_overhead";
    case Mode::max_autotune: return "mode max_autotune";
    case Mode::max_autotune_no_replay: return "mode max_autotune_no_replay";
  }
  fail("compile: mode is not a valid mode");
}

void require_consistent(const CompileOptions& options) {
  require(options.recompile_limit >= 1, "compile: ", options.name, ": recompile_limit must be at least 1, got ",
          options.recompile_limit, "; to run without compiled programs, use Stance::force_eager");
  const auto exclude = [&](bool one, const std::string& is, bool other, const std::string& as, const char* why) {
    require(!one || !other, "compile: ", options.name, ": ", is, " contradicts ", as, ": ", why);
  };
  const bool is_compiled = options.backend.empty() ||
                           record::backend_named(options.backend, "compile: backend") == record::Backend::compiled;
  const std::string backend = "backend " + options.backend;
  exclude(!is_compiled, backend, options.mode != Mode::standard, text(options.mode),
          "only the standard backend has modes; omit one of them");
  exclude(!is_compiled, backend, options.shape_padding, "shape_padding",
          "only the standard backend measures alternatives; omit one of them");
  const bool has_budget = options.activation_memory_bytes != 0;
  exclude(!is_compiled, backend, has_budget, "activation_memory_bytes",
          "only the standard backend recomputes values to save memory; omit one of them");
  exclude(options.fullgraph, "fullgraph", options.limit_policy == LimitPolicy::interpret, "limit_policy interpret",
          "a function that must be one program cannot be interpreted; use another policy");

  exclude(options.mesh.has_value(), "a mesh", options.dynamic == Dynamic::on, "dynamic on",
          "a program that is divided among devices is for one size; use Dynamic::automatic, or mark_buckets");

  // Options that need one program for many sizes exclude options that need a program for each size.
  exclude(has_budget, "activation_memory_bytes", options.dynamic == Dynamic::on, "dynamic on",
          "with a memory budget, each size needs its own program; use Dynamic::automatic, or mark_buckets");
  const bool generalises = options.limit_policy == LimitPolicy::generalise;
  exclude(generalises, "limit_policy generalise", has_budget, "activation_memory_bytes",
          "with a memory budget, each size needs its own program; use limit_policy evict or error");
}

}  // namespace weft::jit
