#include <weft/compiler/library/onednn.h>

#include <memory>

#include <weft/compiler/options/target.h>

namespace weft::compiler::onednn {

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

std::optional<dnnl::memory::data_type> data_type(DType t) {
  if (t == DType::f32) return dnnl::memory::data_type::f32;
  if (t == DType::bf16 && Target::host().multiplies_bf16) return dnnl::memory::data_type::bf16;
  return std::nullopt;
}

Call::Call(dnnl::primitive primitive, std::vector<Argument> arguments)
    : primitive_(std::move(primitive)), arguments_(std::move(arguments)), kept_(make_memories()) {}

Call::Memories Call::make_memories() const {
  Memories memories;
  for (const auto& [argument, description] : arguments_) {
    memories.objects.emplace_back(description, engine(), nullptr);
    memories.arguments.push_back({argument, memories.objects.back().get()});
  }
  return memories;
}

void Call::run(Memories& memories, std::span<std::byte* const> addresses) const {
  for (std::size_t i = 0; i < addresses.size(); ++i) memories.objects[i].set_data_handle(addresses[i]);
  dnnl::error::wrap_c_api(dnnl_primitive_execute(primitive_.get(), memories.stream.get(), memories.arguments.size(),
                                                 memories.arguments.data()),
                          "could not execute a primitive");
}

void Call::run(std::span<std::byte* const> addresses) const {
  if (busy_.test_and_set(std::memory_order_acquire)) {
    Memories own = make_memories();
    run(own, addresses);
    return;
  }
  const std::unique_ptr<std::atomic_flag, void (*)(std::atomic_flag*)> release(
      &busy_, [](std::atomic_flag* busy) { busy->clear(std::memory_order_release); });
  run(kept_, addresses);
}

}  // namespace weft::compiler::onednn
