// Makes units of the nodes that are not part of a generated kernel: hand-written thunks, library products, the interpreter.
#pragma once

#include <string>
#include <vector>

#include <weft/compiler/library/cuda/algorithm_choices.h>
#include <weft/compiler/options/options.h>
#include <weft/compiler/plan/unit_maker.h>
#include <weft/compiler/thunks/nested_compiler.h>

namespace weft::compiler {

class ThunkMaker final : public UnitMaker {
 public:
  // The options must outlive this object. If `choices` is not null, products on a GPU are measured and their algorithms kept there.
  ThunkMaker(const Options& options, const NestedCompiler& nested, AlgorithmChoices* choices = nullptr)
      : options_(options), nested_(nested), choices_(choices) {}
  const NestedCompiler& nested() const { return nested_; }

  bool has_product(const Matmul& matmul) const override;
  Unit make_product(const Matmul& matmul) const override;
  Unit make_attention(const Attention& attention) const override;
  Unit make(const ir::Node& node, std::vector<std::string>& fallbacks) const override;
  Unit make_copy(ir::Value value) const override;

 private:
  const Options& options_;
  const NestedCompiler& nested_;
  AlgorithmChoices* const choices_;
};

}  // namespace weft::compiler
