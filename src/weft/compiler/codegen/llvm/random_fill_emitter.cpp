#include <weft/compiler/codegen/llvm/random_fill_emitter.h>

#include <array>

#include <weft/base/random.h>
#include <weft/compiler/codegen/cuda/gpu_kernel.h>
#include <weft/compiler/codegen/llvm/gpu_function_emitter.h>

namespace weft::compiler {

using llvm::Value;

namespace {

// The type with which the block functions of base/random.h are instantiated: a number of 32 bits.
struct Word {
  llvm::IRBuilder<>* b;
  Value* value;

  Word same(std::uint32_t x) const { return {b, b->getInt32(x)}; }
};

Word operator+(Word x, Word y) { return {x.b, x.b->CreateAdd(x.value, y.value)}; }
Word operator^(Word x, Word y) { return {x.b, x.b->CreateXor(x.value, y.value)}; }
Word operator|(Word x, Word y) { return {x.b, x.b->CreateOr(x.value, y.value)}; }
Word operator+(Word x, std::uint32_t y) { return x + x.same(y); }
Word operator^(Word x, std::uint32_t y) { return x ^ x.same(y); }
Word operator<<(Word x, std::uint32_t bits) { return {x.b, x.b->CreateShl(x.value, bits)}; }
Word operator>>(Word x, std::uint32_t bits) { return {x.b, x.b->CreateLShr(x.value, bits)}; }

std::array<Word, 2> halves(llvm::IRBuilder<>& b, Value* x) {
  return {Word{&b, b.CreateTrunc(x, b.getInt32Ty())}, Word{&b, b.CreateTrunc(b.CreateLShr(x, 32), b.getInt32Ty())}};
}

random::Wide<Word> multiply_wide(Word x, std::uint32_t factor) {
  llvm::IRBuilder<>& b = *x.b;
  const auto [low, high] = halves(b, b.CreateMul(b.CreateZExt(x.value, b.getInt64Ty()), b.getInt64(factor)));
  return {low, high};
}

class RandomFillEmitter final : GpuFunctionEmitter {
 public:
  RandomFillEmitter(llvm::Module& module, const RandomFill& fill, const std::string& name, const Target& target)
      : GpuFunctionEmitter(module, gpu_function(name, GpuForm::elements), 3, 4, random_fill_threads, target),
        fill_(fill),
        element_(b_.getIntNTy(8 * fill.bytes)) {}

  void emit() {
    Value* block =
        b_.CreateAdd(b_.CreateMul(wide(index(Index::block_x)), i64(random_fill_threads)), wide(index(Index::thread_x)));
    key_ = state(0);
    low_ = state(1);
    high_ = fill_.threefry ? i64(0) : fill_.state_words == 3 ? state(2) : key_;
    if_then_else(b_.CreateICmpULT(block, argument(3)),
                 [&] { fill_.threefry ? fill_threefry(block) : fill_philox(block); });
    if_then_else(b_.CreateICmpEQ(block, i64(0)), [&] {
      const auto [low, high] = counter_at(argument(3));
      Value* const next[] = {key_, low, high};
      for (int i = 0; i < fill_.state_words; ++i) b_.CreateStore(next[i], place(b_.getInt64Ty(), argument(2), i64(i)));
    });
    finish();
  }

 private:
  Value* place(llvm::Type* type, Value* base, Value* at) { return b_.CreateGEP(type, base, at); }
  Value* state(int i) { return b_.CreateLoad(b_.getInt64Ty(), place(b_.getInt64Ty(), argument(0), i64(i))); }
  void put(Value* at, Value* bits) { b_.CreateStore(bits, place(element_, argument(1), at)); }
  Value* narrow(Word x) { return b_.CreateZExtOrTrunc(x.value, element_); }
  Value* join(Word low, Word high) { return b_.CreateOr(wide(low.value), b_.CreateShl(wide(high.value), 32)); }

  std::array<Value*, 2> counter_at(Value* blocks) {
    Value* low = b_.CreateAdd(low_, blocks);
    return {low, b_.CreateAdd(high_, wide(b_.CreateICmpULT(low, low_)))};
  }

  void fill_philox(Value* block) {
    const auto [low, high] = counter_at(block);
    const auto key = halves(b_, key_), counter = halves(b_, low), above = halves(b_, high);
    const auto x = random::philox4x32<Word>(key, {counter[0], counter[1], above[0], above[1]});
    std::vector<Value*> elements;
    if (fill_.bytes == 8) {
      elements = {join(x[0], x[1]), join(x[2], x[3])};
    } else {
      for (const Word word : x) elements.push_back(narrow(word));
    }
    const int count = static_cast<int>(elements.size());
    Value* first = b_.CreateMul(block, i64(count));
    if_then_else(
        b_.CreateICmpULE(b_.CreateAdd(first, i64(count)), argument(4)),
        [&] {
          auto* type = llvm::FixedVectorType::get(element_, count);
          Value* all = llvm::PoisonValue::get(type);
          for (int i = 0; i < count; ++i) all = b_.CreateInsertElement(all, elements[i], static_cast<std::uint64_t>(i));
          b_.CreateAlignedStore(all, place(element_, argument(1), first), llvm::Align(count * fill_.bytes));
        },
        [&] {  // the last block
          for (int i = 0; i < count; ++i) {
            Value* at = b_.CreateAdd(first, i64(i));
            if_then_else(b_.CreateICmpULT(at, argument(4)), [&] { put(at, elements[i]); });
          }
        });
  }

  // Threefry::place() says where the words lie.
  void fill_threefry(Value* block) {
    const auto x = random::threefry2x32<Word>(halves(b_, key_), halves(b_, b_.CreateAdd(low_, block)));
    if (fill_.bytes == 8) return put(block, join(x[0], x[1]));
    Value *inner = argument(5), *size = argument(6);
    Value* half = b_.CreateLShr(b_.CreateAdd(size, i64(1)), 1);
    Value *row = b_.CreateUDiv(block, inner), *at = b_.CreateURem(block, inner);
    Value* along = b_.CreateShl(b_.CreateURem(row, half), 1);
    Value* line = b_.CreateAdd(b_.CreateMul(b_.CreateUDiv(row, half), size), along);
    Value* first = b_.CreateAdd(b_.CreateMul(line, inner), at);
    put(first, narrow(x[0]));
    if_then_else(b_.CreateICmpULT(b_.CreateAdd(along, i64(1)), size),
                 [&] { put(b_.CreateAdd(first, inner), narrow(x[1])); });
  }

  const RandomFill fill_;
  llvm::Type* element_;
  Value *key_ = nullptr, *low_ = nullptr, *high_ = nullptr;
};

}  // namespace

void emit_random_fill(llvm::Module& module, const RandomFill& fill, const std::string& name, const Target& target) {
  RandomFillEmitter(module, fill, name, target).emit();
}

}  // namespace weft::compiler
