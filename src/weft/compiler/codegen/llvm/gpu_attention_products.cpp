// The products of attention with tiles in shared memory: each warp multiplies on its own, or the four warps of a warpgroup together.
#include <weft/compiler/codegen/llvm/gpu_attention_emitter.h>

namespace weft::compiler {

using llvm::Value;

AttentionEmitter::Sums AttentionEmitter::multiply(const Lefts& lefts, Value* tile, int row, int count) {
  if (has_warpgroups()) {
    const int line = tiles_.panel_bytes;
    SharedMatrix right{plus(tile, row * line), false, line, 8 * line, 0, {}};
    for (int byte = 0; byte < 2 * kernel_.width; byte += 32)
      right.steps.push_back(byte / line * tiles_.columns * line + byte % line);
    Sums made(1, std::vector<Sum>(static_cast<std::size_t>(count / 8)));
    for (Sum& sum : made[0])
      for (Variable& part : sum) part = variable(b_.getFloatTy());
    begin_product(made[0], false, lefts[0], right);
    return made;
  }
  Sums made = row_sums(count);
  for (int column = 0; column < kernel_.width; column += 16)
    for (int further = 0; further < count; further += 16) {
      const Left right = right_of_rows(tile, row + further, column);
      for (std::size_t r = 0; r < made.size(); ++r)
        for (int half = 0; half < 2; ++half)
          multiply_add(made[r][further / 8 + half], lefts[r][column / 16], right[2 * half], right[2 * half + 1]);
    }
  return made;
}

void AttentionEmitter::add_rows(Sums& sums, const Lefts& lefts, Value* tile, int row) {
  const int parts = static_cast<int>(lefts[0].size());
  if (has_warpgroups()) {
    const int line = tiles_.panel_bytes;
    SharedMatrix right{plus(tile, row * line), true, line, 8 * line, tiles_.columns * line, {}};
    for (int part = 0; part < parts; ++part) right.steps.push_back(16 * part * line);
    return begin_product(sums[0], true, lefts[0], right);
  }
  for (int part = 0; part < parts; ++part)
    for (int column = 0; column < kernel_.width; column += 16) {
      const Left right = right_of_columns(tile, row + 16 * part, column);
      for (std::size_t r = 0; r < sums.size(); ++r)
        for (int half = 0; half < 2; ++half)
          multiply_add(sums[r][column / 8 + half], lefts[r][part], right[2 * half], right[2 * half + 1]);
    }
}

void AttentionEmitter::begin_product(std::vector<Sum>& sums, bool adds, const std::vector<Left>& left,
                                     const SharedMatrix& right) {
  std::vector<Value*> before;
  if (adds)
    for (const Sum& sum : sums)
      for (Variable part : sum) before.push_back(get(part));
  const int columns = 8 * static_cast<int>(sums.size());
  const auto after = matrices_->begin_product(b_, kernel_.dtype, before, columns, left, right);
  for (std::size_t i = 0; i < after.size(); ++i) set(sums[i / 4][i % 4], after[i]);
}

void AttentionEmitter::wait_for(Sums& sums, const Lefts& lefts, int later, const Sums& ready) {
  if (!has_warpgroups()) return;
  const auto all_values = [&](const Sums& of) {
    std::vector<Value*> values;
    for (const auto& row_tile : of)
      for (const Sum& sum : row_tile)
        for (Variable part : sum) values.push_back(get(part));
    return values;
  };
  const auto values = matrices_->wait_for_products(b_, later, all_values(sums), lefts[0], all_values(ready));
  for (std::size_t i = 0; i < values.size(); ++i) set(sums[0][i / 4][i % 4], values[i]);
}

void AttentionEmitter::if_seen(const Turn& turn, Value* is_seen, const std::function<void()>& body) {
  if (has_warpgroups() && turn.is_masked)
    if_then(is_seen, body);
  else
    body();
}

// ---- the operands of warps on their own

AttentionEmitter::Left AttentionEmitter::right_of_rows(Value* tile, int row, int column) {
  return matrices_->load(b_, within(plus(tile, right_lane_), row, column), false);
}

AttentionEmitter::Left AttentionEmitter::right_of_columns(Value* tile, int row, int column) {
  return matrices_->load(b_, within(plus(tile, left_lane_), row, column), true);
}

void AttentionEmitter::multiply_add(Sum& sum, const Left& left, Value* right0, Value* right1) {
  std::array<Value*, 4> before;
  for (int i = 0; i < 4; ++i) before[i] = get(sum[i]);
  const auto after = matrices_->multiply_add(b_, kernel_.dtype, left, {right0, right1}, before);
  for (int i = 0; i < 4; ++i) set(sum[i], after[i]);
}

AttentionEmitter::Left AttentionEmitter::rounded(const Sum& first, const Sum& second) {
  const auto pair = [&](const Sum& sum, int i) {
    return matrices_->rounded(b_, kernel_.dtype, get(sum[i]), get(sum[i + 1]));
  };
  return {pair(first, 0), pair(first, 2), pair(second, 0), pair(second, 2)};
}

AttentionEmitter::Lefts AttentionEmitter::rounded(const Sums& sums) {
  Lefts lefts(sums.size());
  for (std::size_t r = 0; r < sums.size(); ++r)
    for (std::size_t i = 0; i < sums[r].size(); i += 2) lefts[r].push_back(rounded(sums[r][i], sums[r][i + 1]));
  return lefts;
}

}  // namespace weft::compiler
