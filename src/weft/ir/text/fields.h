// The attributes of an operation as its op's attribute struct asks for them.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include <weft/base/arena.h>
#include <weft/ir/op.h>
#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

// What an attribute stands for, aliases followed.
const Attribute& resolve(const Source& source, const SyntaxModule& module, const Attribute& attribute);

// What a dense_resource<...> holds, between the quotes.
std::string_view find_resource(const Source& source, const SyntaxModule& module, const Attribute& attribute);

// The members of a struct attribute of this mnemonic, as the ops read it; none where no op reads one.
std::set<std::string_view> struct_members(std::string_view mnemonic);

// Throws Error naming the operation and the field that is missing or of another kind.
class AttributeReader : public FieldReader {
 public:
  // Lists and literals are put into the arena.
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
  const Attribute* find_field(std::string_view name) const;  // nullptr: left out, as it may be
  void append_elements(const Attribute& attribute, std::string_view name, std::vector<std::int64_t>& values) const;
  void append_integers(const Attribute& attribute, std::string_view name, std::vector<std::int64_t>& values) const;
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
  // A field of a struct attribute; written when the struct is complete.
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
  std::string_view struct_attribute_;  // being collected
  std::vector<Member> members_;
  bool is_first_ = true;
};

}  // namespace weft::ir::text
