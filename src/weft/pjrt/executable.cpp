#include <weft/pjrt/executable.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <weft/base/error.h>
#include <weft/compiler/compiler.h>
#include <weft/compiler/passes/whole_windows.h>
#include <weft/ir/annotations.h>
#include <weft/ir/bytecode/bytecode.h>
#include <weft/ir/host_calls.h>
#include <weft/pjrt/buffer.h>
#include <weft/pjrt/client.h>
#include <weft/pjrt/compile_options.h>
#include <weft/pjrt/element_type.h>
#include <weft/pjrt/event.h>
#include <weft/pjrt/ffi_extension.h>
#include <weft/pjrt/interpreted.h>
#include <weft/runtime/cpu/cpu_device.h>

namespace weft::pjrt {

namespace {

void describe_outputs(Program& program) {
  for (const ir::Port& port : program.outputs) {
    program.output_types.push_back(element_type(port.part.dtype(), port.is_complex).type);
    for (int d = 0; d < port.part.rank(); ++d) program.output_dims.push_back(port.part.size(d));
    program.output_ranks.push_back(static_cast<std::size_t>(port.part.rank()));
    program.memory_kinds.push_back(memory_kind.data());
    program.memory_kind_sizes.push_back(memory_kind.size());
  }
}

std::shared_ptr<const Program> compiled(std::string_view code) {
  auto program = std::make_shared<Program>();
  const ir::Module module = ir::read_program(code);
  program->graph = module.main();
  if (auto changed = compiler::scatter_whole_windows(*program->graph)) program->graph = std::move(changed);
  ir::require_host_functions(*program->graph);
  const auto* const said = program->graph->annotations ? program->graph->annotations->module.get() : nullptr;
  program->name = said && !said->name.empty() ? said->name : program->graph->name;
  program->text = ir::print(module);
  program->inputs = ir::input_ports(*program->graph);
  program->outputs = ir::output_ports(*program->graph);
  describe_outputs(*program);
  auto options = compiler::Options::from_knobs();
  options.name = program->name;
  if (program->graph->annotations) options.donatable = ir::donated_arguments(*program->graph->annotations);
  options.donatable.resize(program->graph->inputs().size());
  for (const ir::Port& port : program->inputs) program->donated.push_back(options.donatable[port.first]);
  program->executable = has_narrow_types(*program->graph) ? interpreted(program->graph, program->name)
                                                          : compiler::compile(*program->graph, options);
  return program;
}

// JAX passes the token that the last program returned, and a number for the first one.
runtime::BufferPtr token_of(const PJRT_Buffer& argument) {
  const Held parts = argument.parts();
  const auto& given = parts.buffers()[0];
  return given->type().dtype() == DType::token ? given : runtime::cpu().upload(Type(DType::token, {}), {});
}

// The inputs of a launch. Unless it is accepted, donated arrays get their parts back.
class Inputs {
 public:
  Inputs(const Program& program, std::span<PJRT_Buffer* const> arguments, const PJRT_ExecuteOptions* options) {
    require(arguments.size() == program.inputs.size(), program.name, ": takes ", program.inputs.size(), " arrays, got ",
            arguments.size());
    buffers_.reserve(program.executable->inputs.size());
    const std::span<const int64_t> kept =
        options ? std::span(options->non_donatable_input_indices, options->num_non_donatable_input_indices)
                : std::span<const int64_t>();
    try {
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::size_t first = buffers_.size();
        if (program.inputs[i].part.dtype() == DType::token) {
          buffers_.push_back(token_of(*arguments[i]));
        } else if (!program.donated[i] || std::ranges::find(kept, static_cast<int64_t>(i)) != kept.end()) {
          arguments[i]->append_to(buffers_);
        } else {
          arguments[i]->donate_to(buffers_);
          donated_.push_back({arguments[i], first, buffers_.size()});
        }
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
    std::size_t first, end;
  };

  void restore() {
    if (buffers_.empty()) return;
    for (const Donated& donated : donated_) {
      const auto at = [&](std::size_t i) { return buffers_.begin() + static_cast<std::ptrdiff_t>(i); };
      donated.array->restore({at(donated.first), at(donated.end)});
    }
  }

  std::vector<runtime::BufferPtr> buffers_;
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
  const PJRT_Program& program = *args.program;
  const std::string_view format(program.format, program.format_size), code(program.code, program.code_size);
  if (format != "mlir")
    throw UnsupportedError(concat("programs of the format ", format, " are not supported; weft reads mlir"), "format");
  const CompileOptions options = read_compile_options({args.compile_options, args.compile_options_size});
  if (options.replicas > 1 || options.partitions > 1)
    throw UnsupportedError(concat("weft has one device here; the program is for ", options.replicas, " replicas and ",
                                  options.partitions, " partitions"),
                           "several devices");
  args.executable = new PJRT_LoadedExecutable{compiled(code)};
}

void run(PJRT_LoadedExecutable_Execute_Args& args) {
  const Program& program = *args.executable->program;
  require(!args.executable->deleted, program.name, ": the executable was deleted");
  require(args.num_devices == 1, program.name, ": runs on one device, not on ", args.num_devices);
  Inputs inputs(program, {args.argument_lists[0], args.num_args}, args.options);
  std::vector<runtime::BufferPtr> outputs;
  const PJRT_ExecuteContext* const context = args.options ? args.options->context : nullptr;
  const auto done = runtime::cpu().launch_with_context(program.executable, std::move(inputs.buffers()), outputs,
                                                       context ? context->data : nullptr);
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const ir::Port& port = program.outputs[i];
    const auto first = outputs.begin() + static_cast<std::ptrdiff_t>(port.first);
    args.output_lists[0][i] = new PJRT_Buffer(program.output_types[i], dims_of(port.part),
                                              {first, first + static_cast<std::ptrdiff_t>(port.count())});
  }
  if (args.device_complete_events) args.device_complete_events[0] = new PJRT_Event{done};
}

void run(PJRT_Executable_Destroy_Args& args) { delete args.executable; }
void run(PJRT_Executable_Name_Args& args) {
  args.executable_name = args.executable->program->name.data();
  args.executable_name_size = args.executable->program->name.size();
}
void run(PJRT_Executable_NumReplicas_Args& args) { args.num_replicas = 1; }
void run(PJRT_Executable_NumPartitions_Args& args) { args.num_partitions = 1; }
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
  args.memory_kinds = program.memory_kinds.data();
  args.memory_kind_sizes = program.memory_kind_sizes.data();
}

// Called twice: for the size of the text, and for the text. JAX reads it to learn the layouts of arguments and results, so it is of use only
// if they are those of JAX's program: weft's text has two real numbers for each complex one.
void run(PJRT_Executable_OptimizedProgram_Args& args) {
  static constexpr std::string_view format = "mlir";
  const Program& program = *args.executable->program;
  const auto is_complex = [](const ir::Port& port) { return port.is_complex; };
  if (std::ranges::any_of(program.inputs, is_complex) || std::ranges::any_of(program.outputs, is_complex))
    throw UnsupportedError(concat(program.name, ": takes or returns complex numbers, which its text does not have"),
                           "complex");
  const std::string& text = program.text;
  args.program->format = format.data();
  args.program->format_size = format.size();
  if (args.program->code) std::memcpy(args.program->code, text.data(), std::min(args.program->code_size, text.size()));
  args.program->code_size = text.size();
}

void run(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  const runtime::Executable& executable = *args.executable->program->executable;
  args.argument_size_in_bytes = args.output_size_in_bytes = args.alias_size_in_bytes = 0;
  for (const Type type : executable.inputs) args.argument_size_in_bytes += static_cast<int64_t>(type.bytes());
  for (const runtime::Output& output : executable.outputs) {
    args.output_size_in_bytes += static_cast<int64_t>(output.type.bytes());
    if (output.donated_input >= 0) args.alias_size_in_bytes += static_cast<int64_t>(output.type.bytes());
  }
  args.temp_size_in_bytes = static_cast<int64_t>(executable.temporary_bytes);
  args.generated_code_size_in_bytes = 0;  // kernels belong to the process, and other programs may share them
  for (int64_t* const on_host :
       {&args.host_generated_code_size_in_bytes, &args.host_argument_size_in_bytes, &args.host_output_size_in_bytes,
        &args.host_alias_size_in_bytes, &args.host_temp_size_in_bytes})
    *on_host = 0;
  if (!has_field(args, args.peak_memory_in_bytes)) return;
  args.peak_memory_in_bytes = static_cast<int64_t>(executable.peak_bytes);
  if (!has_field(args, args.total_size_in_bytes)) return;
  args.total_size_in_bytes =
      args.argument_size_in_bytes + args.output_size_in_bytes + args.temp_size_in_bytes - args.alias_size_in_bytes;
}

void run(PJRT_LoadedExecutable_Destroy_Args& args) { delete args.executable; }
void run(PJRT_LoadedExecutable_Delete_Args& args) { args.executable->deleted = true; }
void run(PJRT_LoadedExecutable_IsDeleted_Args& args) { args.is_deleted = args.executable->deleted; }
void run(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable = new PJRT_Executable{args.loaded_executable->program};
}
void run(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  args.addressable_devices = client().devices;
  args.num_addressable_devices = std::size(client().devices);
}
void run(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  static PJRT_LogicalDeviceIds first{0, 0};
  args.addressable_device_logical_ids = &first;
  args.num_addressable_device_logical_ids = 1;
}
void run(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  // A DeviceAssignmentProto with one replica, one computation, and device 0 for it.
  static constexpr std::string_view assignment("\x08\x01\x10\x01\x1a\x03\x0a\x01\x00", 9);
  args.serialized_bytes = assignment.data();
  args.serialized_bytes_size = assignment.size();
  args.serialized_device_assignment = nullptr;
  args.serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized*) {};
}

}  // namespace weft::pjrt
