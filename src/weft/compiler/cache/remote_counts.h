// What a process asked of the store of compiled kernels, and the sum of this over processes, kept in a file beside the entries on disk.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace weft::compiler {

struct RemoteCounts {
  enum class What : std::uint8_t {
    hits,
    misses,
    refused,
    uploads,
    errors,
    bytes_read,
    bytes_written,
    waited_us,
    saved_us
  };
  static constexpr std::array<std::string_view, 9> names = {
      "hits", "misses", "refused", "uploads", "errors", "bytes_read", "bytes_written", "waited_us", "saved_us"};

  std::array<std::uint64_t, names.size()> values = {};

  std::uint64_t& operator[](What what) { return values[static_cast<std::size_t>(what)]; }
  std::uint64_t operator[](What what) const { return values[static_cast<std::size_t>(what)]; }

  // "31 hits, 2 misses, ..., 12 ms waited, 3400 ms saved"
  std::string told() const;

  // Reads the sum in a cache folder; zero if there is none or it is damaged.
  static RemoteCounts read(const std::filesystem::path& folder);
  // Adds these counts to the sum. If the folder cannot be written, they are lost.
  void add_to(const std::filesystem::path& folder) const;
};

}  // namespace weft::compiler
