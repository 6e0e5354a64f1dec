#include <weft/tensor/tensor.h>

#include <weft/base/convert.h>
#include <weft/base/diagnostics.h>
#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/base/trace.h>
#include <weft/compiler/on_mesh.h>
#include <weft/ir/place_text.h>
#include <weft/profile/hints.h>
#include <weft/record/call_error.h>
#include <weft/record/recording.h>
#include <weft/record/sync.h>
#include <weft/record/wrong_device.h>
#include <weft/runtime/node_pool.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>

namespace weft {

namespace {

void convert_elements(DType from, const std::byte* source, DType to, void* target, std::int64_t count) {
  visit(from, [&](auto from_tag) {
    using From = decltype(from_tag);
    visit(to, [&](auto to_tag) {
      using To = decltype(to_tag);
      auto* out = static_cast<To*>(target);
      for (std::int64_t i = 0; i < count; ++i) {
        From value;
        std::memcpy(&value, source + i * sizeof(value), sizeof value);
        out[i] = convert_element<To>(value);
      }
    });
  });
}

}  // namespace

Dim Tensor::dim(std::int64_t axis) const { return type().dim(normalize_axis(axis, rank(), "dim")); }

std::int64_t Tensor::size(std::int64_t axis) const { return type().size(normalize_axis(axis, rank(), "size")); }

Tensor Tensor::operator[](const At& at) const { return select({*this, at.where}, 0, at.index); }

Tensor Tensor::to(DType dtype, std::source_location where) const { return weft::convert({*this, where}, dtype); }

runtime::BufferPtr Tensor::buffer() const {
  if (!impl().buffer) {
    record::Recording& recording = record::Recording::current();
    recording.value_of(shared(), "sync");  // throws Error if it belongs to another thread
    recording.sync(record::Recording::Keep::graph);
  }
  return impl().buffer;
}

namespace {

// Returns the place of a read: the location that the caller passed. Printing passes none; then the place is where the
// value was recorded.
ir::Location place_of_read(const Tensor& x, const std::source_location& where) {
  if (where.line() == 0 && x.impl().recording) return x.impl().value.node->location;
  return {.file = where.file_name(), .line = where.line()};
}

void require_run(const char* function, const Tensor& x, const ir::Location& where) {
  if (!record::Recording::current().is_body() || x.impl().buffer) return;
  const std::string place = ir::place_text(where);
  fail(function,
       ": a value cannot be read inside the body of a loop or branch, or a function of vmap or jvp, which is recorded, "
       "not run: return it from there "
       "and read it outside, or decide on the device with where or cond",
       place.empty() ? "" : concat(" (", place, ')'));
}

}  // namespace

std::span<const std::byte> Tensor::bytes_for(const char* function, const Where& asked) const {
  const ir::Location where = place_of_read(*this, asked);
  require_run(function, *this, where);
  if (record::session.observer) record::session.observer->host_reads(function, impl(), where);
  const bool cuts = impl().buffer == nullptr;
  const std::uint64_t nodes = cuts ? record::Recording::current().graph().nodes().size() : 0;
  const runtime::BufferPtr source = buffer();
  const std::uint64_t start = trace::now_ns();
  const runtime::BufferPtr whole = compiler::readable(device(), source);
  if (whole != source) source->keep_elements(whole->bytes());
  const std::span<const std::byte> bytes = source->bytes();
  const std::uint64_t waited_ns = trace::now_ns() - start;
  metrics::transfer_from_device_time.add(waited_ns);
  metrics::inbound_data.add(bytes.size());
  profile::read_done(where.file, where.line, waited_ns);
  // Only the device can tell the cost of the wait: see the diagnostic transfer_too_frequent.
  if (cuts && !record::session.observer)
    WEFT_DIAGNOSE(
        graph_break, .subject = function, .place = concat(where.file, ':', where.line),
        .reason = concat("it needed a value of the recording: its ", nodes,
                         " nodes became a program of their own, and the host waited ", waited_ns / 1e6, " ms"),
        .remedy = "read it later with item_async(), or decide on the device (where, cond)");
  return bytes;
}

std::span<const std::byte> Tensor::bytes(const Where& where) const { return bytes_for("bytes", where); }

void Tensor::convert(std::span<const std::byte> source, DType as, void* to) const {
  convert_elements(dtype(), source.data(), as, to, elements());
}

void Tensor::fail_undefined() { record::fail_call("a default-constructed Tensor has no value"); }

void Tensor::require_one(const char* function) const {
  require(elements() == 1, function, ": expected a tensor of one element, got ", type());
}

std::shared_ptr<detail::ReadItem> Tensor::read_async(DType as, const Where& where) const {
  require_one("item_async");
  const ir::Location place = place_of_read(*this, where);
  require_run("item_async", *this, place);
  if (record::session.observer) record::session.observer->host_reads("item_async", impl(), place);
  const runtime::BufferPtr from = compiler::readable(device(), buffer());
  if (!from->usable_on(device().id())) record::fail_on_wrong_device("item_async: what it reads", *from);
  auto item = runtime::make_pooled<detail::ReadItem>(dtype(), as);
  device().read(from, item);
  return item;
}

detail::ReadItem::ReadItem(DType from, DType as) : from_(from), as_(as), asked_ns_(trace::now_ns()) {}

void detail::ReadItem::take(std::span<const std::byte> bytes) {
  convert_elements(from_, bytes.data(), as_, value_.data(), 1);
}

}  // namespace weft
