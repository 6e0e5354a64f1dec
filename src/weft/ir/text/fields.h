// Reads and prints the attributes of an operation, field by field, for the attribute struct of its op.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <weft/base/arena.h>
#include <weft/ir/op.h>
#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

// Returns the attribute that an attribute stands for, after following aliases.
const Attribute& resolve(const Source& source, const SyntaxModule& module, const Attribute& attribute);

// Returns the text between the quotes of a dense_resource<...>.
std::string_view find_resource(const Source& source, const SyntaxModule& module, const Attribute& attribute);

// Returns the names of the op's attributes: `b`, or `a.b` for field b of the struct attribute a.
std::vector<std::string_view> field_names(const Op& op);

// Returns the members of a struct attribute with this mnemonic that ops read; empty if no op reads one.
std::set<std::string_view> struct_members(std::string_view mnemonic);

// Reads fields from an operation's attributes. Throws Error naming the operation and the field if a field is missing or of another kind.
class AttributeReader : public FieldReader {
 public:
  // Lists and literals are stored in the arena.
  AttributeReader(const Source& source, const SyntaxModule& module, const Operation& operation, Arena& arena)
      : source_(source), module_(module), operation_(operation), arena_(arena) {}

  bool integer(std::string_view name, std::int64_t& value) override;
  bool boolean(std::string_view name, bool& value) override;
  bool integers(std::string_view name, Ints& values) override;
  bool matrix(std::string_view name, IntMatrix& values) override;
  bool enumerator(std::string_view name, std::span<const std::string_view> names, int& value) override;
  bool string(std::string_view name, std::string_view& value) override;
  bool literal(std::string_view name, Literal& value) override;

 private:
  const Attribute* find_field(std::string_view name) const;  // nullptr if an optional field was omitted
  using Integers = ShortList<std::int64_t, 8>;
  void append_elements(const Attribute& attribute, std::string_view name, Integers& values) const;
  void append_integers(const Attribute& attribute, std::string_view name, Integers& values) const;
  void require_shape(const Attribute& attribute, std::string_view name) const;
  Type real_type(const Attribute& attribute, std::string_view name) const;
  [[noreturn]] void fail(std::size_t at, std::string_view name, std::string_view expected) const;

  const Source& source_;
  const SyntaxModule& module_;
  const Operation& operation_;
  Arena& arena_;
};

// Writes the fields of an op's attributes as `name = attribute, ...`.
class AttributePrinter : public FieldVisitor {
 public:
  AttributePrinter(std::string& out, const Op& op) : out_(out), op_(op) {}

  void integer(std::string_view name, std::int64_t value, int bits) override;
  void boolean(std::string_view name, bool value) override;
  void integers(std::string_view name, Ints values) override;
  void matrix(std::string_view name, const IntMatrix& values) override;
  void enumerator(std::string_view name, std::string_view attribute, std::string_view value) override;
  void string(std::string_view name, std::string_view value) override;
  void literal(std::string_view name, const Literal& value) override;

  void begin(std::string_view name);       // `, name = `
  void begin_unit(std::string_view name);  // `, name`
  void end();                              // after the last field

 private:
  // A field of a struct attribute, which is written when the struct is complete.
  struct Member {
    std::string_view name;
    std::vector<std::int64_t> values;
    bool is_list;
  };
  bool add_member(std::string_view name, Ints values, bool is_list);
  void end_struct();
  void print_members();
  void print_convolution_dimensions();

  std::string& out_;
  const Op& op_;
  std::string_view struct_attribute_;  // the struct attribute that is being collected
  std::vector<Member> members_;
  bool is_first_ = true;
};

}  // namespace weft::ir::text
