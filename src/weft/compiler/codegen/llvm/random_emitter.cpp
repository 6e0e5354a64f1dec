#include <weft/compiler/codegen/llvm/random_emitter.h>

#include <array>
#include <span>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include <weft/base/error.h>
#include <weft/base/random.h>
#include <weft/compiler/codegen/llvm/control_flow.h>

namespace weft::compiler {

using llvm::Value;

namespace {

// The type with which the block functions of base/random.h are instantiated: a vector of 32-bit integers, one for each block.
struct Words {
  llvm::IRBuilder<>* b;
  Value* value;

  Words splat(std::uint32_t x) const { return {b, llvm::ConstantInt::get(value->getType(), x)}; }
};

Words operator+(Words x, Words y) { return {x.b, x.b->CreateAdd(x.value, y.value)}; }
Words operator^(Words x, Words y) { return {x.b, x.b->CreateXor(x.value, y.value)}; }
Words operator|(Words x, Words y) { return {x.b, x.b->CreateOr(x.value, y.value)}; }
Words operator+(Words x, std::uint32_t y) { return x + x.splat(y); }
Words operator^(Words x, std::uint32_t y) { return x ^ x.splat(y); }
Words operator<<(Words x, std::uint32_t bits) { return {x.b, x.b->CreateShl(x.value, bits)}; }
Words operator>>(Words x, std::uint32_t bits) { return {x.b, x.b->CreateLShr(x.value, bits)}; }

// Returns the halves of 64-bit integers.
random::Wide<Words> halves(llvm::IRBuilder<>& b, Value* x, llvm::Type* half) {
  return {{&b, b.CreateTrunc(x, half)}, {&b, b.CreateTrunc(b.CreateLShr(x, 32), half)}};
}

// Processors multiply pairs of 32-bit lanes to 64 bits: first the even lanes, then the odd ones.
random::Wide<Words> multiply_wide(Words x, std::uint32_t factor) {
  llvm::IRBuilder<>& b = *x.b;
  auto* const narrow = llvm::cast<llvm::FixedVectorType>(x.value->getType());
  const int lanes = narrow->getNumElements();
  auto* const wide = llvm::FixedVectorType::get(b.getInt64Ty(), narrow->getNumElements() / 2);
  Value *const pairs = b.CreateBitCast(x.value, wide), *const by = llvm::ConstantInt::get(wide, factor);
  Value* const even = b.CreateBitCast(b.CreateMul(b.CreateAnd(pairs, 0xffffffff), by), narrow);
  Value* const odd = b.CreateBitCast(b.CreateMul(b.CreateLShr(pairs, 32), by), narrow);
  const auto half = [&](int which) -> Words {
    std::vector<int> mask;
    for (int i = 0; i < lanes; i += 2) mask.insert(mask.end(), {i + which, i + which + lanes});
    return {&b, b.CreateShuffleVector(even, odd, mask)};
  };
  return {half(0), half(1)};
}

class RandomEmitter {
 public:
  RandomEmitter(llvm::IRBuilder<>& builder, llvm::Function* function, const RandomBlocks& blocks, const Target& target)
      : b_(builder),
        function_(function),
        threefry_(blocks.threefry),
        lanes_(target.lanes),
        narrow_(llvm::FixedVectorType::get(b_.getInt32Ty(), lanes_)),
        wide_(llvm::FixedVectorType::get(b_.getInt64Ty(), lanes_)) {}

  void emit() {
    Value *const first = function_->getArg(1), *const count = function_->getArg(2);
    for (unsigned i = 0; i < 3; ++i)
      state_[i] =
          b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), function_->getArg(0), i));
    auto* const before = b_.GetInsertBlock();
    auto* const head = llvm::BasicBlock::Create(b_.getContext(), "head", function_);
    auto* const step = llvm::BasicBlock::Create(b_.getContext(), "step", function_);
    auto* const done = llvm::BasicBlock::Create(b_.getContext(), "done", function_);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    auto* const at = b_.CreatePHI(b_.getInt64Ty(), 2);
    at->addIncoming(b_.getInt64(0), before);
    b_.CreateCondBr(b_.CreateICmpULT(at, count), step, done);
    b_.SetInsertPoint(step);
    const std::vector<Value*> words = words_of(b_.CreateAdd(first, at));
    const std::uint64_t per_block = words.size();
    for (std::size_t i = 0; i < words.size(); ++i) {
      Value* const offset = b_.CreateAdd(b_.CreateMul(at, b_.getInt64(per_block)), b_.getInt64(i * unsigned_lanes()));
      b_.CreateAlignedStore(words[i], b_.CreateGEP(b_.getInt32Ty(), function_->getArg(3), offset), llvm::Align(4));
    }
    at->addIncoming(b_.CreateAdd(at, b_.getInt64(unsigned_lanes())), step);
    b_.CreateBr(head);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
  }

 private:
  std::uint64_t unsigned_lanes() const { return lanes_; }
  Value* splat(Value* x) { return b_.CreateVectorSplat(lanes_, x); }
  std::array<Words, 2> split(Value* x) {
    const auto [low, high] = halves(b_, x, narrow_);
    return {low, high};
  }

  // Returns the words of the blocks from `first` on, as vectors in memory order.
  std::vector<Value*> words_of(Value* first) {
    std::vector<llvm::Constant*> numbers;
    for (const std::uint64_t block : threefry_ ? blocks_of_pairs() : blocks_of_quads())
      numbers.push_back(b_.getInt64(block));
    Value* const start = splat(state_[1]);
    Value* const low = b_.CreateAdd(b_.CreateAdd(start, splat(first)), llvm::ConstantVector::get(numbers));
    const std::array<Words, 2> key = split(splat(state_[0])), counter = split(low);
    if (threefry_) {
      const auto x = random::threefry2x32<Words>(key, counter);
      return {interleave(x[0].value, x[1].value, 1, 0), interleave(x[0].value, x[1].value, 1, 2)};
    }
    Value* const carry = b_.CreateZExt(b_.CreateICmpULT(low, start), wide_);
    const std::array<Words, 2> high = split(b_.CreateAdd(splat(state_[2]), carry));
    const auto x = random::philox4x32<Words>(key, {counter[0], counter[1], high[0], high[1]});
    std::vector<Value*> words;
    for (const int half : {0, 2}) {
      Value* const front = interleave(x[0].value, x[1].value, 1, half);
      Value* const back = interleave(x[2].value, x[3].value, 1, half);
      for (const int pair : {0, 2}) words.push_back(interleave(front, back, 2, pair));
    }
    return words;
  }

  // Interleaves x and y within every four lanes, which is cheap on all processors: `run` words of x, then `run` words of y, and so on, from
  // `begin` on.
  Value* interleave(Value* x, Value* y, int run, int begin) {
    std::vector<int> mask;
    for (int lane = 0; lane < lanes_; lane += 4)
      for (int i = 0; i < 4; ++i) {
        const bool from_y = i / run % 2 != 0;
        const int place = run == 1 ? begin + i / 2 : begin + i % 2;
        mask.push_back(lane + place + (from_y ? lanes_ : 0));
      }
    return b_.CreateShuffleVector(x, y, mask);
  }

  // Returns the block that each lane computes, chosen such that interleaving in fours leaves the words in order.
  std::vector<std::uint64_t> blocks_of_quads() const {
    std::vector<std::uint64_t> blocks;
    for (std::uint64_t lane = 0; lane < unsigned_lanes(); ++lane)
      blocks.push_back(lane % 4 * (unsigned_lanes() / 4) + lane / 4);
    return blocks;
  }
  std::vector<std::uint64_t> blocks_of_pairs() const {
    std::vector<std::uint64_t> blocks;
    for (std::uint64_t lane = 0; lane < unsigned_lanes(); ++lane)
      blocks.push_back(lane % 4 / 2 * (unsigned_lanes() / 2) + lane / 4 * 2 + lane % 2);
    return blocks;
  }

  llvm::IRBuilder<>& b_;
  llvm::Function* function_;
  bool threefry_;
  int lanes_;
  llvm::Type *narrow_, *wide_;
  std::array<Value*, 3> state_{};
};

}  // namespace

void emit_random_blocks(llvm::Module& module, const RandomBlocks& blocks, const std::string& name,
                        const Target& target) {
  llvm::IRBuilder<> b(module.getContext());
  auto* const type =
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty(), b.getPtrTy()}, false);
  auto* const function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  RandomEmitter(b, function, blocks, target).emit();
  verify(*function);
}

}  // namespace weft::compiler
