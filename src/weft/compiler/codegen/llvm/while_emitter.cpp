#include <weft/compiler/codegen/llvm/while_emitter.h>

#include <numeric>

#include <weft/compiler/codegen/llvm/control_flow.h>
#include <weft/compiler/codegen/llvm/region_emitter.h>
#include <weft/compiler/codegen/llvm/region_vectors.h>

namespace weft::compiler {

using llvm::Value;

namespace {

// How many elements of carried values stay in registers from step to step. More would be spilled, so the others are loaded when a step
// begins and stored when it ends.
constexpr std::int64_t most_held = 32;

class TopLoop {
 public:
  TopLoop(RegionContext& context, const WhileKernel& kernel) : c_(context), kernel_(kernel) {
    std::int64_t held = 0;
    for (const ir::Value v : kernel.body.graph->inputs()) {
      const std::int64_t elements = v.type().elements();
      const std::size_t i = places_.size();
      if (kernel.in_memory[i]) {
        places_.push_back(Place::in_memory);
      } else if (kernel.body.graph->outputs()[i] == v) {
        places_.push_back(Place::constant);
      } else {
        places_.push_back(held + elements <= most_held ? Place::held : Place::stored);
        if (places_.back() == Place::held) held += elements;
      }
    }
  }

  void emit() {
    std::vector<Elements> initial(places_.size()), constant(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i] == Place::held) initial[i] = load(i);
      if (places_[i] == Place::constant) constant[i] = load(i);
    }
    LoopEnds ends{.condition = &kernel_.condition, .body = &kernel_.body};
    ends.begin = [&](std::vector<Elements>& current) {
      for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i] == Place::stored) current[i] = load(i);
        if (places_[i] == Place::constant) current[i] = constant[i];
      }
    };
    ends.end = [&](const std::vector<Elements>& next) { store(next, Place::stored); };
    const auto last = emit_loop(c_, *kernel_.condition.graph, *kernel_.body.graph, initial, ends);
    store(last, Place::held);
  }

 private:
  enum class Place : std::uint8_t { constant, held, stored, in_memory };

  ir::Value carried(std::size_t i) const { return kernel_.body.graph->inputs()[i]; }
  std::vector<std::int64_t> places_in(std::size_t i) const {
    std::vector<std::int64_t> places(static_cast<std::size_t>(carried(i).type().elements()));
    std::iota(places.begin(), places.end(), 0);
    return places;
  }
  AddressOfPlace address_in(std::size_t i) {
    return [this, i](std::int64_t place) {
      return c_.b.CreateConstGEP1_64(c_.one.memory_type(carried(i).dtype()), c_.buffers[i], place);
    };
  }

  Elements load(std::size_t i) {
    Elements elements;
    load_elements(c_, carried(i).dtype(), places_in(i), address_in(i), elements);
    return elements;
  }

  void store(const std::vector<Elements>& values, Place place) {
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (places_[i] == place) store_elements(c_, carried(i).dtype(), places_in(i), address_in(i), values[i]);
  }

  RegionContext& c_;
  const WhileKernel& kernel_;
  std::vector<Place> places_;
};

}  // namespace

std::vector<Elements> emit_loop(RegionContext& c, const ir::Graph& condition, const ir::Graph& body,
                                std::span<const Elements> initial, const LoopEnds& ends) {
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(c.b.getContext(), name, c.function); };
  auto *before = c.b.GetInsertBlock(), *head = block("head"), *step = block("step"), *done = block("done");
  c.b.CreateBr(head);
  c.b.SetInsertPoint(head);
  std::vector<Elements> held;
  for (const Elements& elements : initial) {
    Elements& phis = held.emplace_back();
    for (Value* element : elements) {
      auto* phi = c.b.CreatePHI(element->getType(), 2);
      phi->addIncoming(element, before);
      phis.push_back(phi);
    }
  }
  std::vector<Elements> current = held;
  if (ends.begin) ends.begin(current);
  const auto continues = RegionEmitter(c, condition, ends.condition).emit(current);
  c.b.CreateCondBr(continues[0][0], step, done);
  c.b.SetInsertPoint(step);
  const auto next = RegionEmitter(c, body, ends.body).emit(current);
  if (ends.end) ends.end(next);
  for (std::size_t i = 0; i < held.size(); ++i)
    for (std::size_t e = 0; e < held[i].size(); ++e)
      llvm::cast<llvm::PHINode>(held[i][e])->addIncoming(next[i][e], c.b.GetInsertBlock());
  c.b.CreateBr(head);
  c.b.SetInsertPoint(done);
  return held;
}

void emit_while(llvm::Module& module, const WhileKernel& kernel, const std::string& name, const Target& target) {
  llvm::IRBuilder<> b(module.getContext());
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  std::vector<Value*> buffers;
  for (std::size_t i = 0; i < kernel.in_memory.size(); ++i)
    buffers.push_back(b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getPtrTy(), function->getArg(0), i)));
  ScalarEmitter one(b, target, 1, kernel.contract);
  RegionContext context{b, target, function, one, kernel.contract, buffers};
  TopLoop(context, kernel).emit();
  end_function(b);
}

}  // namespace weft::compiler
