#include <weft/pjrt/layouts.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include <weft/base/error.h>
#include <weft/pjrt/error.h>
#include <weft/pjrt/executable.h>

namespace weft::pjrt {

PJRT_Layouts_MemoryLayout* row_major_layout(std::size_t rank) {
  static std::mutex mutex;
  static auto& layouts = *new std::map<std::size_t, PJRT_Layouts_MemoryLayout>;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = layouts.try_emplace(rank);
  PJRT_Layouts_MemoryLayout& layout = found->second;
  if (is_new) {
    for (std::size_t d = rank; d-- > 0;) {
      layout.text += concat(layout.text.empty() ? "" : ",", d);
      layout.minor_to_major.push_back(static_cast<std::int64_t>(d));
    }
    layout.text = concat('{', layout.text, '}');
  }
  return &layout;
}

void require_row_major(const ir::FunctionAnnotations& function) {
  const auto check = [](const std::vector<ir::Annotations>& values, std::string_view what) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto mode = std::ranges::find(values[i], "mhlo.layout_mode", &ir::Annotation::name);
      if (mode == values[i].end() || mode->value == R"("default")" || mode->value == R"("auto")") continue;
      const auto rank =
          mode->value == R"("{}")" ? 0 : static_cast<std::size_t>(std::ranges::count(mode->value, ',') + 1);
      if (const std::string& row_major = row_major_layout(rank)->text; mode->value != concat('"', row_major, '"'))
        throw UnsupportedError(concat(what, " ", i, " asks for the layout ", mode->value,
                                      "; weft keeps every array in row-major order, \"", row_major, '"'),
                               "layout");
    }
  };
  check(function.arguments, "argument");
  check(function.results, "result");
}

void run(PJRT_Buffer_GetMemoryLayout_Args& args) {
  const PJRT_Layouts_MemoryLayout& layout = *row_major_layout(args.buffer->dims.size());
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled = {.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                       .extension_start = nullptr,
                       .minor_to_major = layout.minor_to_major.data(),
                       .minor_to_major_size = layout.minor_to_major.size(),
                       .tile_dims = nullptr,
                       .tile_dim_sizes = nullptr,
                       .num_tiles = 0};
}

namespace {

struct DestroyArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Layouts_MemoryLayout* layout;
};
struct SerializeArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Layouts_MemoryLayout* layout;
  const char* bytes;                    // out
  std::size_t byte_count;               // out
  void* holder;                         // out: of the bytes
  void (*delete_holder)(void* holder);  // out
};
struct DefaultArgs {  // of a client, and of a topology
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  void* client_or_topology;
  PJRT_Buffer_Type type;
  const std::int64_t* dims;
  std::size_t rank;
  PJRT_Layouts_MemoryLayout* layout;  // out
};
struct BufferArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Layouts_MemoryLayout* layout;  // out
};
struct ExecutableArgs {  // for results, and for parameters
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  std::size_t count;                          // out
  PJRT_Layouts_MemoryLayout* const* layouts;  // out
};

struct Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*destroy)(DestroyArgs*);
  PJRT_Error* (*serialize)(SerializeArgs*);
  PJRT_Error* (*client_default)(DefaultArgs*);
  PJRT_Error* (*of_buffer)(BufferArgs*);
  PJRT_Error* (*topology_default)(DefaultArgs*);
  PJRT_Error* (*of_results)(ExecutableArgs*);
  PJRT_Error* (*of_parameters)(ExecutableArgs*);
};

PJRT_Error* destroy(DestroyArgs*) { return nullptr; }  // layouts live as long as the process

PJRT_Error* serialize(SerializeArgs* args) {
  args->bytes = args->layout->text.data();
  args->byte_count = args->layout->text.size();
  args->holder = nullptr;
  args->delete_holder = [](void*) {};
  return nullptr;
}

PJRT_Error* default_layout(DefaultArgs* args) {
  args->layout = row_major_layout(args->rank);
  return nullptr;
}

PJRT_Error* layout_of(BufferArgs* args) {
  args->layout = row_major_layout(args->buffer->dims.size());
  return nullptr;
}

template <std::vector<PJRT_Layouts_MemoryLayout*> Program::* layouts>
PJRT_Error* layouts_of(ExecutableArgs* args) {
  const auto& of_program = (*args->executable->program).*layouts;
  args->count = of_program.size();
  args->layouts = of_program.data();
  return nullptr;
}

}  // namespace

PJRT_Extension_Base* layouts_extension(PJRT_Extension_Base* next) {
  static Extension extension = {.base = {sizeof(Extension), PJRT_Extension_Type_Layouts, next},
                                .destroy = &destroy,
                                .serialize = &serialize,
                                .client_default = &default_layout,
                                .of_buffer = &layout_of,
                                .topology_default = &default_layout,
                                .of_results = &layouts_of<&Program::output_layouts>,
                                .of_parameters = &layouts_of<&Program::input_layouts>};
  return &extension.base;
}

}  // namespace weft::pjrt
