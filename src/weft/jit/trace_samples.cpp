// Records samples: runs a function for tensors without elements, and launches nothing.
#include <cstring>
#include <unordered_set>
#include <utility>
#include <vector>

#include <weft/jit/caught_refusal.h>
#include <weft/jit/trace.h>
#include <weft/record/sync.h>
#include <weft/record/synchronizer.h>
#include <weft/runtime/device.h>

namespace weft::jit {

namespace {

// Copies the elements of `whole` from dimension `dim` on, repeated until they fill `to`; if there are no elements,
// writes zeros.
void repeat(const std::byte* whole, Type from, std::byte* to, Type type, int dim, std::int64_t from_row,
            std::int64_t to_row) {
  const std::int64_t size = byte_size(type.dtype());
  if (dim == type.rank()) {
    std::memcpy(to + to_row * size, whole + from_row * size, size);
    return;
  }
  for (std::int64_t i = 0; i < type.size(dim); ++i)
    repeat(whole, from, to, type, dim + 1, from_row * from.size(dim) + i % from.size(dim), to_row * type.size(dim) + i);
}

runtime::Memory elements_like(const runtime::Buffer& buffer, Type type) {
  std::vector<std::byte> elements(type.bytes());
  if (buffer.type().bytes() != 0) repeat(buffer.bytes().data(), buffer.type(), elements.data(), type, 0, 0, 0);
  return device().upload(type, elements)->memory();
}

}  // namespace

Trace::Aside::Aside(Trace& trace) : trace_(trace) {
  for (Written& written : trace_.written_) written.before.put_back(written.parameter->unobserved());
  exchange_generators_and_arguments();
}

Trace::Aside::~Aside() {
  exchange_generators_and_arguments();
  for (Written& written : trace_.written_) written.before.take_again(written.parameter->unobserved());
}

void Trace::Aside::exchange_generators_and_arguments() {
  for (StandIn& stand_in : trace_.stand_ins_) std::swap(*stand_in.argument, stand_in.original);
  for (Generated& generated : trace_.generators_)
    if (!record::has_ended(generated.lifetime)) std::swap(*generated.generator, generated.before);
}

bool Trace::record_sample(const Run& run, bool keep) {
  return record_without_launch(run, [&](record::Synchronizer& synchronizer) { synchronizer.run_as_sample(keep); });
}

bool Trace::record_job(const Run& run, std::optional<record::CompileAhead::Job>& job) {
  return record_without_launch(run, [&](record::Synchronizer& synchronizer) { job = synchronizer.run_as_job(); });
}

bool Trace::record_without_launch(const Run& run, const Closes& closes) {
  stand_in();
  try {
    const Attached attached(*this);
    const std::vector<Tensor> results = run();
    if (!is_discarded_ && refusal_.empty() && !aliases_do_not_matter()) {
      let_go_of_replaced();
      record::Synchronizer synchronizer(record::Recording::current());
      closes(synchronizer);
    }
  } catch (...) {
    end_sample();
    throw;
  }
  end_sample();
  if (!refusal_.empty()) throw CaughtRefusal(refusal_);
  return is_discarded_ || !aliases_do_not_matter();
}

// Ends the sample. Its results are never computed, so anyone who kept one of its tensors would wait forever.
void Trace::end_sample() {
  record::Synchronizer(record::Recording::current()).run_as_sample(false);
  for (const StandIn& stand_in : stand_ins_) *stand_in.argument = stand_in.original;
  undo();
  for (const StandIn& stand_in : stand_ins_)
    // Several arguments may share a stand-in.
    if (stand_in.stand_in.impl().buffer) stand_in.stand_in.impl().let_go_of_buffer();
}

bool Trace::has_elements(std::size_t argument) const {
  return !is_sample() || options_.types[argument] == leaves_[argument].type;
}

// Inside a loop body no tensor has elements, and reading is an error there anyway.
bool Trace::lacks_elements(const record::TensorImpl& tensor) const {
  if (tensor.recording) return !record::Recording::current().is_body();
  const auto found = places_.find(&tensor);
  return found != places_.end() && found->second.kind == Place::Kind::argument && !has_elements(found->second.index);
}

void Trace::give_elements() {
  if (is_discarded_) return;
  discard();
  std::unordered_set<const record::TensorImpl*> given;  // several arguments may share a stand-in
  for (const StandIn& stand_in : stand_ins_) {
    const runtime::Buffer& original = *stand_in.original.impl().buffer;
    const record::TensorImpl& impl = stand_in.stand_in.impl();
    if (impl.type != original.type() && given.insert(&impl).second)
      impl.buffer->fulfil(elements_like(original, impl.type));
  }
}

}  // namespace weft::jit
