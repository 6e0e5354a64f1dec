#include <weft/pjrt/serialized.h>

#include <charconv>
#include <cstddef>
#include <memory>
#include <span>

#include <weft/base/digest.h>
#include <weft/base/error.h>
#include <weft/pjrt/executable.h>

struct PJRT_SerializedExecutable {
  std::string bytes;
};

namespace weft::pjrt {

namespace {

constexpr std::string_view magic = "weft program 1\n";
constexpr std::size_t digest_digits = 32;

}  // namespace

// The magic, the digest of what follows, the length of the options, the options, the program.
std::string serialized(std::string_view code, std::string_view compile_options) {
  const std::string contents = concat(compile_options.size(), '\n', compile_options, code);
  return concat(magic, hex_digest(contents), contents);
}

Serialized read_serialized(std::string_view bytes) {
  require(bytes.starts_with(magic), "these bytes are no executable that this version of weft has serialised");
  bytes.remove_prefix(magic.size());
  const std::string_view digest = bytes.substr(0, digest_digits);
  bytes.remove_prefix(digest.size());
  require(digest == hex_digest(bytes), "the serialised executable is damaged: remove it, so that it is made again");
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), length);
  WEFT_ASSERT(error == std::errc() && end != bytes.data() + bytes.size() && *end == '\n', "a digest of other bytes");
  bytes.remove_prefix(static_cast<std::size_t>(end - bytes.data()) + 1);
  return {.code = bytes.substr(length), .compile_options = bytes.substr(0, length)};
}

void run(PJRT_Executable_Serialize_Args& args) {
  const Program& program = *args.executable->program;
  auto made = std::make_unique<PJRT_SerializedExecutable>(serialized(program.code, program.compile_options));
  args.serialized_bytes = made->bytes.data();
  args.serialized_bytes_size = made->bytes.size();
  args.serialized_executable = made.release();
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable* executable) { delete executable; };
}

void run(PJRT_Executable_DeserializeAndLoad_Args& args) {
  const Serialized read = read_serialized({args.serialized_executable, args.serialized_executable_size});
  const std::string_view other(args.overridden_serialized_compile_options,
                               args.overridden_serialized_compile_options_size);
  args.loaded_executable = new PJRT_LoadedExecutable{compile(read.code, other.empty() ? read.compile_options : other)};
}

}  // namespace weft::pjrt
