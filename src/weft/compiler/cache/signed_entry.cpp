#include <weft/compiler/cache/signed_entry.h>

#include <algorithm>
#include <cstdint>

#include <weft/base/error.h>
#include <weft/compiler/cache/pieces.h>
#include <weft/compiler/cache/signature.h>

namespace weft::compiler {

namespace {
constexpr std::string_view signed_entry_magic = "weft signed entry 1\n";
}  // namespace

std::string write_signed_entry(const SignedEntry& entry) {
  std::string bytes(signed_entry_magic);
  put_piece(bytes, entry.name);
  put_number(bytes, entry.made_in.count());
  put_piece(bytes, write_entry(entry.kernels));
  return sign(std::move(bytes));
}

Result<SignedEntry> read_signed_entry(std::string_view bytes, const std::string& name) {
  constexpr std::chrono::nanoseconds most_time = std::chrono::hours(1);
  try {
    require(bytes.starts_with(signed_entry_magic), "it is no entry of weft");
    PieceReader reader(verify(bytes).substr(signed_entry_magic.size()));
    std::string_view its_name, content;
    std::uint64_t made_in = 0;
    require(reader.piece(its_name) && reader.number(made_in) && reader.piece(content) && reader.at_end(),
            "it is damaged");
    require(its_name == name, "it is the entry of another program");
    auto kernels = read_entry(content);
    if (!kernels) return kernels.status();
    const auto time = std::min<std::uint64_t>(made_in, most_time.count());
    return SignedEntry{name, *std::move(kernels), std::chrono::nanoseconds(time)};
  } catch (const Error& error) {
    return Status::failed(error.what());
  }
}

}  // namespace weft::compiler
