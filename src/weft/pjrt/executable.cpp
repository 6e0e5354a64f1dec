#include <weft/pjrt/executable.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>

#include <weft/base/error.h>
#include <weft/pjrt/advice.h>
#include <weft/pjrt/buffer.h>
#include <weft/pjrt/client.h>
#include <weft/pjrt/element_type.h>
#include <weft/pjrt/event.h>
#include <weft/pjrt/ffi_extension.h>
#include <weft/pjrt/forked.h>
#include <weft/runtime/cpu/cpu_device.h>

namespace weft::pjrt {

namespace {

// JAX passes the token that the last program returned, and a number for the first one.
runtime::BufferPtr token_of(const PJRT_Buffer& argument) {
  const Held parts = argument.parts();
  const auto& given = parts.buffers()[0];
  return given->type().dtype() == DType::token ? given : runtime::cpu().upload(Type(DType::token, {}), {});
}

// The inputs of a launch on all devices. Unless it is accepted, donated arrays get their parts back.
class Inputs {
 public:
  Inputs(const Program& program, const PJRT_LoadedExecutable_Execute_Args& args) : devices_(program.devices.size()) {
    require(args.num_args == program.inputs.size(), program.name, ": takes ", program.inputs.size(), " arrays, got ",
            args.num_args);
    buffers_.resize(program.executable->inputs.size());
    const std::span<const int64_t> kept = args.options ? std::span(args.options->non_donatable_input_indices,
                                                                   args.options->num_non_donatable_input_indices)
                                                       : std::span<const int64_t>();
    try {
      for (std::size_t i = 0; i < args.num_args; ++i) {
        const bool donates = program.donated[i] && std::ranges::find(kept, static_cast<int64_t>(i)) == kept.end();
        for (std::size_t d = 0; d < devices_; ++d) add(program.inputs[i], d, *args.argument_lists[d][i], donates);
      }
    } catch (...) {
      restore();
      throw;
    }
  }
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;
  ~Inputs() { restore(); }

  // A launch empties them when it is accepted.
  std::vector<runtime::BufferPtr>& buffers() { return buffers_; }

 private:
  struct Donated {
    PJRT_Buffer* array;
    const ir::Port* port;
    std::size_t device;
  };

  runtime::BufferPtr& at(const ir::Port& port, std::size_t part, std::size_t device) {
    return buffers_[(port.first + part) * devices_ + device];
  }

  void add(const ir::Port& port, std::size_t device, PJRT_Buffer& array, bool donates) {
    if (port.part.dtype() == DType::token) {
      at(port, 0, device) = token_of(array);
      return;
    }
    require(element_type(array.type).is_complex == port.is_complex, "an argument is ",
            port.is_complex ? "real" : "complex", ", expected ", port);
    parts_.clear();
    donates ? array.donate_to(parts_) : array.append_to(parts_);
    for (std::size_t part = 0; part < parts_.size(); ++part) at(port, part, device) = std::move(parts_[part]);
    if (donates) donated_.push_back({&array, &port, device});
  }

  void restore() {
    if (buffers_.empty()) return;
    for (const Donated& donated : donated_) {
      PJRT_Buffer::Parts parts;
      for (std::size_t part = 0; part < donated.port->count(); ++part)
        parts.push_back(std::move(at(*donated.port, part, donated.device)));
      donated.array->restore(std::move(parts));
    }
  }

  const std::size_t devices_;
  std::vector<runtime::BufferPtr> buffers_, parts_;
  std::vector<Donated> donated_;
};

// Returns whether the caller's version of the struct has the field.
template <class Args, class Field>
bool has_field(const Args& args, const Field& field) {
  return reinterpret_cast<const std::byte*>(&field + 1) - reinterpret_cast<const std::byte*>(&args) <=
         static_cast<std::ptrdiff_t>(args.struct_size);
}

std::vector<int64_t> dims_of(Type type) {
  std::vector<int64_t> dims;
  for (int d = 0; d < type.rank(); ++d) dims.push_back(type.size(d));
  return dims;
}

}  // namespace

void run(PJRT_Client_Compile_Args& args) {
  require_not_forked();
  const PJRT_Program& program = *args.program;
  const std::string_view format(program.format, program.format_size), code(program.code, program.code_size);
  if (format != "mlir")
    throw UnsupportedError(concat("programs of the format ", format, " are not supported; weft reads mlir"), "format");
  const auto start = std::chrono::steady_clock::now();
  auto made = compile(code, {args.compile_options, args.compile_options_size});
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  note_compiled(*made, time.count());
  args.executable = new PJRT_LoadedExecutable{std::move(made)};
}

void run(PJRT_LoadedExecutable_Execute_Args& args) {
  require_not_forked();
  const Program& program = *args.executable->program;
  const std::size_t devices = program.devices.size();
  require(!args.executable->deleted, program.name, ": the executable was deleted");
  require(args.num_devices == devices, program.name, ": runs on ", devices, " devices, not on ", args.num_devices);
  PJRT_Device* const chosen = has_field(args, args.execute_device) ? args.execute_device : nullptr;
  require(!chosen || devices == 1, program.name, ": runs on ", devices, " devices together, not on one of them");
  Inputs inputs(program, args);
  std::vector<runtime::BufferPtr> outputs;
  const PJRT_ExecuteContext* const context = args.options ? args.options->context : nullptr;
  const auto done = runtime::cpu().launch_with_context(program.executable, std::move(inputs.buffers()), outputs,
                                                       context ? context->data : nullptr);
  // JAX passes a context for programs that call functions of Python. As with JAX's CPU backend, these have run when the call returns, which raises
  // their errors.
  if (context)
    if (const auto error = done->error()) std::rethrow_exception(error);
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const ir::Port& port = program.outputs[i];
    for (std::size_t d = 0; d < devices; ++d) {
      PJRT_Buffer::Parts parts;
      for (std::size_t part = 0; part < port.count(); ++part)
        parts.push_back(std::move(outputs[(port.first + part) * devices + d]));
      PJRT_Device& on = chosen ? *chosen : *program.devices[d];
      args.output_lists[d][i] = new PJRT_Buffer(program.output_types[i], dims_of(port.part), std::move(parts),
                                                on.own_memories[program.output_memories[i]]);
    }
  }
  note_launched(program, {args.argument_lists[0], args.num_args}, {args.output_lists[0], program.outputs.size()});
  if (!args.device_complete_events) return;
  for (std::size_t d = 0; d < devices; ++d) args.device_complete_events[d] = new PJRT_Event{done};
}

void run(PJRT_Executable_Destroy_Args& args) { delete args.executable; }
void run(PJRT_Executable_Name_Args& args) {
  args.executable_name = args.executable->program->name.data();
  args.executable_name_size = args.executable->program->name.size();
}
void run(PJRT_Executable_NumReplicas_Args& args) {
  args.num_replicas = static_cast<std::size_t>(args.executable->program->replicas);
}
void run(PJRT_Executable_NumPartitions_Args& args) {
  const Program& program = *args.executable->program;
  args.num_partitions = program.devices.size() / static_cast<std::size_t>(program.replicas);
}
void run(PJRT_Executable_NumOutputs_Args& args) { args.num_outputs = args.executable->program->outputs.size(); }
void run(PJRT_Executable_OutputElementTypes_Args& args) {
  const auto& types = args.executable->program->output_types;
  args.output_types = const_cast<PJRT_Buffer_Type*>(types.data());  // the interface forgot const
  args.num_output_types = types.size();
}
void run(PJRT_Executable_OutputDimensions_Args& args) {
  const Program& program = *args.executable->program;
  args.num_outputs = program.outputs.size();
  args.dims = program.output_dims.data();
  args.dim_sizes = program.output_ranks.data();
}
void run(PJRT_Executable_OutputMemoryKinds_Args& args) {
  const Program& program = *args.executable->program;
  args.num_outputs = program.outputs.size();
  args.memory_kinds = program.output_memory_kinds.pointers();
  args.memory_kind_sizes = program.output_memory_kinds.sizes();
}

// Called twice: for the size of the text, and for the text. A JAX that does not know the extension for layouts reads it to learn those of
// arguments and results.
void run(PJRT_Executable_OptimizedProgram_Args& args) {
  static constexpr std::string_view format = "mlir";
  const Program& program = *args.executable->program;
  const std::string& text = program.text;
  args.program->format = format.data();
  args.program->format_size = format.size();
  if (args.program->code) std::memcpy(args.program->code, text.data(), std::min(args.program->code_size, text.size()));
  args.program->code_size = text.size();
}

// The executable is that of all devices, and JAX asks for the bytes of one.
void run(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  const runtime::Executable& executable = *args.executable->program->executable;
  const auto devices = std::ssize(args.executable->program->devices);
  args.argument_size_in_bytes = args.output_size_in_bytes = args.alias_size_in_bytes = 0;
  for (const Type type : executable.inputs) args.argument_size_in_bytes += static_cast<int64_t>(type.bytes());
  for (const runtime::Output& output : executable.outputs) {
    args.output_size_in_bytes += static_cast<int64_t>(output.type.bytes());
    if (output.donated_input >= 0) args.alias_size_in_bytes += static_cast<int64_t>(output.type.bytes());
  }
  args.temp_size_in_bytes = static_cast<int64_t>(executable.temporary_bytes);
  for (int64_t* const of_all :
       {&args.argument_size_in_bytes, &args.output_size_in_bytes, &args.alias_size_in_bytes, &args.temp_size_in_bytes})
    *of_all /= devices;
  args.generated_code_size_in_bytes = 0;  // kernels belong to the process, and other programs may share them
  for (int64_t* const on_host :
       {&args.host_generated_code_size_in_bytes, &args.host_argument_size_in_bytes, &args.host_output_size_in_bytes,
        &args.host_alias_size_in_bytes, &args.host_temp_size_in_bytes})
    *on_host = 0;
  if (!has_field(args, args.peak_memory_in_bytes)) return;
  args.peak_memory_in_bytes = static_cast<int64_t>(executable.peak_bytes) / devices;
  if (!has_field(args, args.total_size_in_bytes)) return;
  args.total_size_in_bytes =
      args.argument_size_in_bytes + args.output_size_in_bytes + args.temp_size_in_bytes - args.alias_size_in_bytes;
}

void run(PJRT_Executable_GetCostAnalysis_Args& args) {
  const auto& costs = args.executable->program->costs;
  args.properties = costs.data();
  args.num_properties = costs.size();
}

void run(PJRT_LoadedExecutable_Destroy_Args& args) { delete args.executable; }
void run(PJRT_LoadedExecutable_Delete_Args& args) { args.executable->deleted = true; }
void run(PJRT_LoadedExecutable_IsDeleted_Args& args) { args.is_deleted = args.executable->deleted; }
void run(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable = new PJRT_Executable{args.loaded_executable->program};
}
void run(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  const auto& devices = args.executable->program->devices;
  args.addressable_devices = devices.data();
  args.num_addressable_devices = devices.size();
}
void run(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  const auto& ids = args.executable->program->logical_ids;
  args.addressable_device_logical_ids = const_cast<PJRT_LogicalDeviceIds*>(ids.data());  // the interface forgot const
  args.num_addressable_device_logical_ids = ids.size();
}
void run(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  const std::string& assignment = args.executable->program->device_assignment;
  args.serialized_bytes = assignment.data();
  args.serialized_bytes_size = assignment.size();
  args.serialized_device_assignment = nullptr;
  args.serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized*) {};
}

}  // namespace weft::pjrt
