#include <weft/runtime/launch_record.h>

#include <algorithm>
#include <cstddef>
#include <new>

#include <weft/base/error.h>
#include <weft/runtime/rank_board.h>

namespace weft::runtime {

namespace {
std::string layout_text(LayoutId layout) { return layout ? layout->text() : "on one device"; }
}  // namespace

void check_inputs(const Executable& executable, std::span<const BufferPtr> inputs, DeviceId device) {
  require(inputs.size() == executable.inputs.size(), "launch: ", executable.name, " takes ", executable.inputs.size(),
          " inputs, got ", inputs.size());
  const LayoutId* const layouts = executable.input_layouts.empty() ? nullptr : executable.input_layouts.data();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Buffer* input = inputs[i].get();
    const LayoutId layout = layouts ? layouts[i] : LayoutId();
    if (input && input->type() == executable.inputs[i] && input->layout() == layout && input->usable_on(device) &&
        !input->donated()) [[likely]]
      continue;
    require(input != nullptr, "launch: ", executable.name, ": input ", i, " is null");
    require(!input->donated(), "launch: ", executable.name, ": input ", i, " ", input->type(),
            " was donated to an earlier launch");
    if (!input->usable_on(device))
      fail("launch: ", executable.name, ": input ", i, " ", input->type(), " is on ", input->device().text(),
           ", and the launch is on ", device.text(), ": call sync() before choosing another device");
    if (input->layout() != executable.input_layout(i))
      fail("launch: ", executable.name, ": input ", i, " ", input->type(), " is ", layout_text(input->layout()),
           ", expected ", layout_text(executable.input_layout(i)));
    fail("launch: ", executable.name, ": input ", i, " is ", input->type(), ", expected ", executable.inputs[i]);
  }
}

void check_promised(const Executable& executable, std::span<const BufferPtr> outputs) {
  require(outputs.size() == executable.outputs.size(), "launch: ", executable.name, " makes ",
          executable.outputs.size(), " outputs, got ", outputs.size(), " promised buffers");
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i]->type() != executable.outputs[i].type || outputs[i]->layout() != executable.output_layout(i))
      fail("launch: ", executable.name, ": output ", i, " is ", executable.outputs[i].type, ' ',
           layout_text(executable.output_layout(i)), ", the promised buffer ", outputs[i]->type(), ' ',
           layout_text(outputs[i]->layout()));
}

std::string place_of(const LaunchRecord& launch, const Thunk* thunk) {
  std::string place = " (";
  if (thunk) place += concat(thunk->info.name, thunk->info.source.empty() ? "" : " from ", thunk->info.source, ", ");
  return place + concat("step ", launch.number, " of ", launch.executable->name, ")");
}

std::exception_ptr with_place(const std::exception_ptr& error, const std::string& place) {
  try {
    std::rethrow_exception(error);
  } catch (const OtherRankError&) {
    return error;  // its place is in another process
  } catch (const InternalError& internal) {
    return std::make_exception_ptr(InternalError(internal.what() + place));
  } catch (const std::bad_alloc&) {
    return std::make_exception_ptr(Error("out of memory" + place));
  } catch (const std::exception& other) {
    return std::make_exception_ptr(Error(other.what() + place));
  } catch (...) {
    return std::make_exception_ptr(Error("an exception of an unknown type" + place));
  }
}

namespace {

// Donates the inputs that outputs take over. If the caller drops the inputs (`given`) and nothing else has one of them, it is
// surrendered. Puts into `copied` the inputs whose bytes must be copied because a holder, or another input of the same launch,
// can still reach them.
void donate_inputs(const Executable& executable, std::span<const BufferPtr> inputs, bool given,
                   std::vector<std::uint32_t>& copied) {
  std::ptrdiff_t donated = 0;
  bool shared = false;
  for (const Output& output : executable.outputs) {
    if (output.donated_input < 0) continue;
    const BufferPtr& input = inputs[output.donated_input];
    const bool is_only_owner = given && input.use_count() == 1 && !input->donated();
    if (input->held() || (!is_only_owner && !input->donate())) {
      copied.push_back(output.donated_input);
      continue;
    }
    ++donated;
    if (is_only_owner) {
      input->surrender();
    } else {
      shared = true;
    }
  }
  const auto is_donated = [](const BufferPtr& input) { return input->donated(); };
  if (!shared || std::ranges::count_if(inputs, is_donated) == donated) return;
  for (const Output& output : executable.outputs) {
    if (output.donated_input < 0) continue;
    if (std::ranges::count(inputs, inputs[output.donated_input]) > 1) copied.push_back(output.donated_input);
  }
}

void add_block(std::vector<SlotsRef>& blocks, Slots& slots) {
  if (blocks.empty() || blocks.back().get() != &slots) blocks.emplace_back(slots);
}

// Returns whether two buffers lie in one block, as the scalars of a recording do. `a` must be there.
bool share_memory(const Buffer& a, const Buffer& b) {
  return b.event()->succeeded() && a.memory().shares_block_with(b.memory());
}

// Keeps the memory of a donated input alive; takes over the reference of an input that has surrendered it.
void add_donor(std::vector<SlotsRef>& donors, const Buffer& input) {
  Slots& slots = input.slots();
  if (!input.surrendered()) {
    add_block(donors, slots);
  } else if (donors.empty() || donors.back().get() != &slots) {
    donors.push_back(SlotsRef::adopt(slots));
  } else {
    donors.back().adopt_another();
  }
}

}  // namespace

void record_inputs(const Executable& executable, std::span<const BufferPtr> inputs, bool given, DeviceId device,
                   bool needs_origins, LaunchRecord& record) {
  record.copied.clear();
  donate_inputs(executable, inputs, given, record.copied);
  record.takes_what_is_read = false;
  record.inputs.clear();
  record.awaited.clear();
  record.ordered.clear();
  record.origins.clear();
  record.bases.resize(executable.allocations.size());
  const Event* last = nullptr;
  for (const BufferPtr& input : inputs) {
    const Event* const event = input->event().get();
    const bool is_there = event->succeeded();
    record.inputs.push_back({.slot = &input->memory()});
    if (input->donated()) {
      record.takes_what_is_read |= input->read();
      add_donor(record.donors, *input);
    } else if (is_there && !record.kept.empty() && share_memory(*input, *record.kept.back())) {
      record.inputs.back() = {.slot = &record.kept.back()->memory(), .address = input->memory().device_address()};
    } else {
      record.kept.push_back(input);
    }
    if (!is_there) {
      const bool is_ordered = input->device() == device && event->comes_in_stream_order();
      if (!is_ordered) {
        record.awaited.push_back({event, record.inputs.size() - 1});
      } else if (event != last) {
        record.ordered.push_back(event);
      }
    }
    last = event;
    // If buffers lie in one block, the record keeps only the first of them, which is there.
    if (needs_origins)
      record.origins.push_back(
          {record.inputs.back().address ? record.kept.back()->event().get() : event, input->device() == DeviceId()});
  }
}

void record_outputs(std::span<const BufferPtr> outputs, LaunchRecord& record) {
  record.outputs.clear();
  for (const BufferPtr& output : outputs) {
    record.outputs.push_back(&output->memory());
    add_block(record.blocks, output->slots());
  }
}

}  // namespace weft::runtime
