// The walk from syntax to graphs. Functions, blocks and regions are in lower.cpp, operations that are not simply an op of the
// table in lowering_rules.cpp, operations on complex numbers in lowering_complex.cpp, and operations whose regions must be
// changed first in lowering_regions.cpp.
//
// In a flat list of values (Values), a complex value is its real part followed by its imaginary part. Operations that take any
// number of values can therefore take complex values without special treatment.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weft/ir/legalize/legalize.h>
#include <weft/ir/op.h>
#include <weft/ir/text/dropped_attributes.h>
#include <weft/ir/text/location.h>
#include <weft/ir/text/lower.h>
#include <weft/ir/text/use_map.h>
#include <weft/ir/text/verbatim.h>

namespace weft::ir::text {

using legalize::ChloFunction;
using legalize::ComplexFunction;
using legalize::DynamicOperation;
using legalize::flattened;
using legalize::half;
using Values = std::vector<Value>;
using Scope = UseMap<WrittenValue>;
using Regions = std::vector<std::shared_ptr<const Graph>>;

// Returns the op of weft's table with this name, which includes the dialect; not parameters, which are arguments in text.
const Op* op_named(std::string_view name);

// Returns whether the value is a constant that is cheap to copy into a region.
bool is_small_constant(const WrittenValue& v);

class Lowering;
using LoweringRule = Values (Lowering::*)(Graph& graph, const Scope& scope, const Operation& op);

class Lowering {
 public:
  Lowering(const Source& source, const SyntaxModule& module, const ParseLimits& limits)
      : source_(source),
        module_(module),
        limits_(limits),
        locations_(source, module, limits.depth),
        verbatim_(source, module) {
    for (const Function& f : module.functions)
      if (!functions_.emplace(f.name, &f).second) source.fail(f.at, concat("func.func @", f.name, ": defined twice"));
  }

  // `refused` is that of lower().
  Module run(std::vector<std::string>* refused);

  // Rules for operations that are not simply an op of the table; lowering_rules.cpp maps names to them.
  Values call(Graph& graph, const Scope& scope, const Operation& op);
  Values while_(Graph& graph, const Scope& scope, const Operation& op);
  Values branches(Graph& graph, const Scope& scope, const Operation& op);
  Values composite(Graph& graph, const Scope& scope, const Operation& op);
  Values custom_call(Graph& graph, const Scope& scope, const Operation& op);
  Values expect_const(Graph& graph, const Scope& scope, const Operation& op);
  Values expect(Graph& graph, const Scope& scope, const Operation& op);
  Values placed_constant(Graph& graph, const Scope& scope, const Operation& op);
  Values sharding(Graph& graph, const Scope& scope, const Operation& op);
  Values sharding_group(Graph& graph, const Scope& scope, const Operation& op);
  Values sharding_change(Graph& graph, const Scope& scope, const Operation& op);
  std::string single_device_of(const Attribute& sharding);
  Values resharded(Graph& graph, const Scope& scope, const Operation& op, const Op& kind, const char* name);
  Values manual_computation(Graph& graph, const Scope& scope, const Operation& op);
  Values run_parallel(Graph& graph, const Scope& scope, const Operation& op);
  Values top_k(Graph& graph, const Scope& scope, const Operation& op);
  Values async_start(Graph& graph, const Scope& scope, const Operation& op);
  Values async_done(Graph& graph, const Scope& scope, const Operation& op);
  Values batch_norm(Graph& graph, const Scope& scope, const Operation& op);
  Values bitcast_convert(Graph& graph, const Scope& scope, const Operation& op);
  Values deprecated(Graph& graph, const Scope& scope, const Operation& op);
  Values contraction(Graph& graph, const Scope& scope, const Operation& op);
  Values scan(Graph& graph, const Scope& scope, const Operation& op);
  Values map(Graph& graph, const Scope& scope, const Operation& op);
  Values dimension_size(Graph& graph, const Scope& scope, const Operation& op);
  Values chlo(const ChloFunction& function, const Scope& scope, const Operation& op);

  // Rules for operations with complex operands or results; lowering_complex.cpp maps names to them.
  Values complex_check(Graph& graph, const Scope& scope, const Operation& op);
  Values complex_cholesky(Graph& graph, const Scope& scope, const Operation& op);
  Values complex_compare(Graph& graph, const Scope& scope, const Operation& op);
  Values complex_constant(Graph& graph, const Scope& scope, const Operation& op);
  Values complex_contraction(Graph& graph, const Scope& scope, const Operation& op);
  Values complex_custom_call(Graph& graph, const Scope& scope, const Operation& op);
  Values complex_iota(Graph& graph, const Scope& scope, const Operation& op);
  Values complex_probe(Graph& graph, const Scope& scope, const Operation& op);
  Values complex_triangular_solve(Graph& graph, const Scope& scope, const Operation& op);
  Values fft(Graph& graph, const Scope& scope, const Operation& op);
  Values each_part(Graph& graph, const Scope& scope, const Operation& op);
  // Lowers the operation as if a complex number were two real numbers.
  Values real_operation(Graph& graph, const Scope& scope, const Operation& op);

 private:
  // How operations of a name are lowered; looked up once for each name.
  struct KnownName {
    const DynamicOperation* dynamic = nullptr;
    LoweringRule rule = nullptr;
    const ChloFunction* chlo = nullptr;
    const ComplexFunction* complex = nullptr;
    const Op* op = nullptr;
    DroppedAttributes dropped = 0;
  };

  [[noreturn]] void fail(const Operation& op, const std::string& message) const {
    source_.fail(op.at, concat(op.name, ": ", message));
  }

  std::string_view call_target(const Operation& op) const;  // of a custom_call
  // Lowers a custom_call. What a typed call says besides its target is kept in backend_config: see typed_call_config.
  std::vector<std::vector<std::int64_t>> orders_in_memory(const Operation& op, std::string_view layouts_name,
                                                          std::span<const WrittenType> types);
  Values call_of_host(Graph& graph, const Scope& scope, const Operation& op, std::string_view target);
  std::string typed_call_config(const Operation& op, int batch_dims);
  Values approx_top_k(const Scope& scope, const Operation& op);
  // Lowers a call of mhlo.erf and the like; nullopt if weft has no such function.
  std::optional<Values> function_of_mhlo(Graph& graph, const Scope& scope, const Operation& op,
                                         std::string_view target);
  WrittenValues dynamic(Graph& graph, const Scope& scope, const Operation& op, const DynamicOperation& what);
  std::optional<WrittenValues> with_promoted_operands(Graph& graph, const Scope& scope, const Operation& op);
  std::optional<WrittenValues> with_captured_input(Graph& graph, const Scope& scope, const Operation& op);
  bool is_complex(const Scope& scope, const Operation& op) const;
  Values complex_operation(Graph& graph, const Scope& scope, const Operation& op);
  Values complex_function(const ComplexFunction& function, const Scope& scope, const Operation& op);
  Values complex_regions(Graph& graph, const Scope& scope, const Operation& op, const Op& kind);
  Values complex_literal(Graph& graph, const Operation& op);
  Operation check_call(const Operation& op) const;  // for a check against a constant
  Value contract(Graph& graph, const Operation& op, Value lhs, Value rhs, Type result);
  Values expanded(const Operation& op, const std::function<Values()>& expand) const;
  WrittenValues grouped_results(const Operation& op, std::span<const Value> values) const;
  std::int64_t integer_attribute(const Operation& op, std::string_view name) const;
  double number_attribute(const Operation& op, std::string_view name) const;
  // Returns the values that the regions use from outside, each once, except constants that are cheap to copy.
  std::vector<Use> captures(const Scope& scope, const Operation& op) const;
  std::shared_ptr<Graph> function(const Function& function);
  void annotate(Graph& graph, const Function& function);
  const Function& called(const Operation& op, const Attribute& callee) const;
  const Function& called(const Operation& op, std::string_view attribute) const;
  const std::shared_ptr<const Graph>& callee(const Function& function);  // lowered once
  WrittenValue add_input(Graph& graph, WrittenType type) const;
  WrittenValues add_arguments(Graph& graph, const Operation& op, const Region& region) const;
  WrittenValues body(Graph& graph, const Function& function, std::span<const WrittenValue> arguments);
  WrittenValues block(Graph& graph, const Region& region, Scope& scope, std::string_view terminator);
  // Returns whether the operation is an op of the table, without anything that needs a rule.
  bool is_plain(const Operation& op, const KnownName& name) const;
  // Lowers a plain operation and defines its results. Most operations of a program are plain, so this takes no memory for a list.
  void plain(Graph& graph, Scope& scope, const Operation& op, const KnownName& name);
  void define(Scope& scope, const Operation& op, std::span<const WrittenValue> values) const;
  const WrittenValue& lookup(const Scope& scope, const Use& use) const;
  // Returns the constant that the value is, or that it stands for as an input of a branch or a loop; nullopt if it is not constant.
  std::optional<WrittenValue> constant_behind(const WrittenValue& v) const;
  // Returns an operand after checking that it has the type that the operation gives.
  const WrittenValue& operand(const Scope& scope, const Operation& op, std::size_t i) const;
  void append_parts(Values& values, const Scope& scope, std::span<const Use> uses) const;
  WrittenValues written_operands(const Scope& scope, const Operation& op) const;
  Values operands(const Scope& scope, const Operation& op) const;  // as a flat list
  WrittenValues operation(Graph& graph, const Scope& scope, const Operation& op);
  Values append(Graph& graph, const Operation& op, const Op& kind, std::span<const Value> operands,
                std::span<const Type> types, const Regions& regions, const void* given_attributes = nullptr);
  // Like append, without what the operation's annotations say.
  Node& append_node(Graph& graph, const Operation& op, const Op& kind, std::span<const Value> operands,
                    std::span<const Type> types, const Regions& regions, const void* given_attributes = nullptr);
  // Throws the error of an op as an error of the operation.
  [[noreturn]] void fail_at(const Operation& op, const Op& kind, const Error& wrong) const;
  // Returns the region as a closed graph. The values in `passed` become inputs after its arguments; other captures must be
  // constants, which are copied.
  std::shared_ptr<Graph> closed(const Operation& op, const Region& region, const Scope& outer,
                                std::span<const Use> passed);
  Regions closed_regions(const Operation& op, const Scope& outer, std::span<const Use> passed);

  const KnownName& known(std::string_view name);

  // A sum of an argument along axes of the mesh, {"x", "y"}.
  struct Sum {
    const Operation* op;
    std::string axes;
  };
  void declare_partial_sums(const Graph& graph, std::vector<Annotations>& arguments) const;
  static WrittenValues in_parts_of(const Function& callee, const WrittenValues& arguments);

  const Source& source_;
  const SyntaxModule& module_;
  const ParseLimits& limits_;
  LocationReader locations_;
  VerbatimReader verbatim_;
  std::shared_ptr<const ModuleAnnotations> annotations_;  // of the module; null if it has none
  std::unordered_map<const Graph*, std::unordered_map<std::uint32_t, Annotations>> node_annotations_;
  std::unordered_map<std::string_view, const Function*> functions_;
  // graphs of functions that composite and run_parallel refer to
  std::unordered_map<std::string_view, std::shared_ptr<const Graph>> callees_;
  std::vector<const Function*> calls_;                // calls that are being lowered
  std::unordered_map<const Node*, Value> constants_;  // constants behind inputs of the regions that are being lowered
  std::unordered_map<std::string_view, KnownName> known_names_;
  struct RecentName {
    std::string_view name;
    const KnownName* known = nullptr;
  };
  std::array<RecentName, 64> recent_names_;  // found by their addresses: a reader of bytecode keeps each name once
  Arena scratch_;                            // for the attributes of one operation
  std::vector<Value> operands_;              // of one plain operation
  std::vector<Type> result_types_;           // the same
  std::unordered_map<const Node*, std::vector<Sum>> added_arguments_;
  std::int64_t operations_ = 0;
};

// The target of calls by which JAX asks for an order of the elements in memory, which changes no value.
inline constexpr std::string_view layout_constraint = "LayoutConstraint";

// Returns whether a custom_call says in a dictionary what its function gets besides the operands.
bool is_typed_call(const Operation& op);

// The rule of an operation that has one; nullptr otherwise.
LoweringRule rule_named(std::string_view name);
// The rule for the operation with complex operands or results; nullptr if it has none.
LoweringRule complex_rule_named(std::string_view name);

}  // namespace weft::ir::text
