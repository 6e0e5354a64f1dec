#include <weft/compiler/listing.h>

#include <unordered_set>

#include <weft/compiler/codegen/llvm/jit.h>
#include <weft/compiler/describe_program.h>
#include <weft/compiler/plan/unit.h>
#include <weft/ir/text/text.h>
#include <weft/runtime/hlo_text.h>

namespace weft::compiler {

namespace {

using runtime::Allocation;
using runtime::Executable;

std::string place(const Executable& program, const runtime::Slice& slice) {
  const Allocation& a = program.allocations[slice.allocation];
  const std::string range =
      slice.offset || slice.bytes != a.bytes ? concat('[', slice.offset, "..", slice.offset + slice.bytes, ')') : "";
  return concat('a', slice.allocation, range);
}

std::string places(const Executable& program, const std::vector<runtime::Slice>& slices) {
  std::string text;
  for (const runtime::Slice& s : slices) text += concat(' ', place(program, s));
  return text.empty() ? " nothing" : text;
}

std::string describe(const Allocation& a) {
  switch (a.kind) {
    case Allocation::Kind::input: return concat("input ", a.index);
    case Allocation::Kind::output: return concat("output ", a.index);
    case Allocation::Kind::constant: return "constant";
    case Allocation::Kind::temporary: return concat("temporary at ", a.offset);
  }
  return {};
}

std::string plan_of(const Executable& program, const Report& report) {
  std::string text = concat("program ", program.name, ": ", report.thunks, " thunks, ", report.kernels, " kernels (",
                            report.distinct_kernels, " distinct), ", program.temporary_bytes, " bytes of temporaries, ",
                            program.peak_bytes, " bytes at the peak\n");
  for (std::size_t i = 0; i < program.allocations.size(); ++i)
    text += concat("  a", i, ": ", describe(program.allocations[i]), ", ", program.allocations[i].bytes, " bytes\n");
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const runtime::Output& output = program.outputs[i];
    text += concat("  output ", i, ": ", output.type, " in a", output.allocation);
    text += output.donated_input < 0 ? "\n" : concat(", the bytes of input ", output.donated_input, '\n');
  }
  for (const auto& thunk : program.thunks) {
    text += concat("  ", thunk->info.name, " (", thunk->info.category, "): reads", places(program, thunk->reads),
                   ", writes", places(program, thunk->writes),
                   thunk->info.source.empty() ? "" : concat("  # ", thunk->info.source), '\n');
  }
  for (const std::string& fallback : report.fallbacks) text += concat("  # ", fallback, '\n');
  return text;
}

class Lister : public Observer {
 public:
  Lister(Listing listing, const Target& target) : listing_(listing), target_(target) {}

  void units(const ir::Graph& optimised, std::span<const Unit> units) override {
    if (listing_ == Listing::stablehlo) text = ir::print(optimised, {.locations = false, .portable = true});
    if (listing_ == Listing::hlo) text = runtime::hlo_text(describe_program(optimised, units));
    if (listing_ == Listing::llvm) kernels(optimised.name, units, CodeForm::llvm);
    if (listing_ == Listing::assembly) kernels(optimised.name, units, CodeForm::assembly);
  }
  void executable(const Executable& executable, const Report& report) override {
    if (listing_ == Listing::plan) text += concat(text.empty() ? "" : "\n", plan_of(executable, report));
  }

  std::string text;  // of the last program; for code and plans, of all programs

 private:
  void kernels(const std::string& program, std::span<const Unit> units, CodeForm form) {
    const char* comment = form == CodeForm::assembly ? "# " : "; ";
    const auto show = [&](const Unit& unit, const KernelSource& source, const std::string& key, const Target& target) {
      if (known_.insert(key).second)
        text += concat(comment, program, ": ", unit.info.name, '\n', show_kernel(source, form, target), '\n');
    };
    for (const Unit& unit : units) {
      if (const GeneratedKernels* kernels = unit.kernels())
        for (const auto& loop : kernels->loops) show(unit, loop.get(), loop->key(), code_target(unit, target_));
      if (const HandwrittenThunk* thunk = unit.handwritten())
        for (const auto& routine : thunk->routines)
          show(unit, routine->source, routine->key, code_target(*routine, target_));
    }
  }

  Listing listing_;
  const Target& target_;
  std::unordered_set<std::string> known_;
};

}  // namespace

std::string list_program(const ir::Graph& graph, Listing listing, const Options& options) {
  Lister lister(listing, *options.target);
  Options observed = options;
  observed.observer = &lister;
  compile(graph, observed);
  return std::move(lister.text);
}

}  // namespace weft::compiler
