#include <weft/compiler/fusion/loop.h>

namespace weft::compiler {

namespace {

void put(std::string& key, std::int64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
void put(std::string& key, const Number& n) { put(key, n.parameter < 0 ? n.known : 2); }
void put(std::string& key, const Position& p) {
  put(key, p.offset);
  for (const Number& n : p.coefficients) put(key, n);
}

// Attributes, field by field.
class KeyOfAttributes final : public ir::FieldVisitor {
 public:
  explicit KeyOfAttributes(std::string& key) : key_(key) {}

 private:
  void integer(std::string_view, std::int64_t value, int) override { put(key_, value); }
  void boolean(std::string_view, bool value) override { put(key_, value ? 1 : 0); }
  void integers(std::string_view, ir::Ints values) override {
    put(key_, static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) put(key_, value);
  }
  void enumerator(std::string_view, std::string_view, std::string_view value) override { text(value); }
  void string(std::string_view, std::string_view value) override { text(value); }
  void literal(std::string_view, const ir::Literal& value) override {
    put(key_, static_cast<std::int64_t>(value.type.hash()));
    text({reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
  }
  void text(std::string_view value) {
    put(key_, static_cast<std::int64_t>(value.size()));
    key_ += value;
  }

  std::string& key_;
};

}  // namespace

std::string Loop::key() const {
  std::string key;
  put(key, static_cast<std::int64_t>(walk));
  for (const int n : {rows, serial, lanes, stages, rows_together, static_cast<int>(contract), inputs}) put(key, n);
  for (const DType t : buffers) put(key, static_cast<int>(t));
  for (const Expr& e : exprs) {
    put(key, (static_cast<int>(e.kind) << 16) | (static_cast<int>(e.dtype) << 8) | (e.per_lane ? 2 : 0) |
                 (e.cached ? 1 : 0));
    put(key, e.stage);
    for (const ExprId o : e.operands) put(key, o);
    if (e.op) key += e.op->name;
    if (e.op && e.attributes && e.op->attributes) {
      KeyOfAttributes visitor(key);
      e.op->attributes->visit(e.attributes, visitor);
    }
    put(key, static_cast<std::int64_t>(e.bits));
    put(key, e.buffer);
    put(key, e.position);
    for (const PositionBound& b : e.bounds) {
      put(key, b.index);
      put(key, b.low);
      put(key, b.high);
    }
    for (const auto& g : e.gathered) {
      put(key, g.limit);
      put(key, g.stride);
    }
    key += ';';
  }
  for (const Store& s : stores) {
    put(key, s.value);
    put(key, s.buffer);
    put(key, s.position);
  }
  return key;
}

}  // namespace weft::compiler
