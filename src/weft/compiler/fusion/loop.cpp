#include <weft/compiler/fusion/loop.h>

namespace weft::compiler {

namespace {

void put(std::string& key, std::int64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
void put(std::string& key, const Number& n) { put(key, n.parameter < 0 ? n.known : 2); }
void put(std::string& key, const Position& p) {
  put(key, p.offset);
  for (const Number& n : p.coefficients) put(key, n);
}

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
    if (e.op && e.attributes && e.op->attributes)
      put(key, static_cast<std::int64_t>(e.op->attributes->hash(e.attributes)));
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
