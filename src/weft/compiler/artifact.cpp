#include <weft/compiler/artifact.h>

#include <algorithm>
#include <unordered_map>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/compiler/artifacts.h>
#include <weft/compiler/cache/disk_cache.h>
#include <weft/compiler/cache/kernel_cache.h>
#include <weft/compiler/cache/origin.h>
#include <weft/compiler/cache/pieces.h>
#include <weft/compiler/cache/signature.h>
#include <weft/compiler/tuning/trials.h>

namespace weft {

namespace compiler {

namespace {

constexpr std::string_view artifact_magic = "weft artifact 2\n";

void put_kernels(std::string& bytes, const std::vector<StoredKernel>& kernels) {
  put_number(bytes, kernels.size());
  for (const StoredKernel& kernel : kernels) {
    put_piece(bytes, kernel.key);
    put_piece(bytes, kernel.object);
  }
}

bool take_kernels(PieceReader& reader, std::vector<StoredKernel>& kernels) {
  std::uint64_t count = 0;
  if (!reader.number(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string_view key, object;
    if (!reader.piece(key) || !reader.piece(object)) return false;
    kernels.push_back({std::string(key), std::string(object)});
  }
  return true;
}

// Parses the content, whose signature has been verified.
bool parse(PieceReader reader, Artifact& artifact) {
  if (!take_kernels(reader, artifact.kernels) || !take_kernels(reader, artifact.choices)) return false;
  while (!reader.at_end()) {
    std::uint64_t count = 0, kernel = 0;
    if (!reader.number(count)) return false;
    auto& program = artifact.programs.emplace_back();
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!reader.number(kernel) || kernel >= artifact.kernels.size()) return false;
      program.push_back(static_cast<std::size_t>(kernel));
    }
  }
  return true;
}

}  // namespace

std::string write_artifact(const Artifact& artifact) {
  std::string bytes(artifact_magic);
  put_piece(bytes, code_origin());
  put_kernels(bytes, artifact.kernels);
  put_kernels(bytes, artifact.choices);
  for (const auto& program : artifact.programs) {
    put_number(bytes, program.size());
    for (const std::size_t kernel : program) put_number(bytes, kernel);
  }
  return sign(std::move(bytes));
}

Artifact read_artifact(std::string_view bytes) {
  try {
    require(bytes.starts_with(artifact_magic), "it is not an artifact");
    PieceReader reader(verify(bytes).substr(artifact_magic.size()));
    std::string_view origin;
    require(reader.piece(origin), "it is damaged");
    require(origin == code_origin(), origin_difference(origin));
    Artifact artifact;
    require(parse(reader, artifact), "it is damaged");
    return artifact;
  } catch (const Error& error) {
    fail("load_artifacts: the artifact is refused: ", error.what());
  }
}

Artifact artifact_of(const DiskCache& cache) {
  Artifact artifact;
  std::unordered_map<std::string, std::size_t> known;
  for (const DiskCache::File& file : cache.files()) {
    auto kernels = cache.contents(file.name).kernels;
    if (!kernels) continue;
    if (file.name.ends_with(choice_extension)) {
      artifact.choices.push_back(std::move(kernels->front()));
      continue;
    }
    auto& program = artifact.programs.emplace_back();
    for (StoredKernel& kernel : *kernels) {
      const auto [at, is_new] = known.try_emplace(kernel.key, artifact.kernels.size());
      if (is_new) artifact.kernels.push_back(std::move(kernel));
      program.push_back(at->second);
    }
  }
  return artifact;
}

Import add_to(const DiskCache& cache, const Artifact& artifact) {
  std::vector<std::string> names;
  Status status = Status::failed("WEFT_CACHE_BYTES has no room for all of them");
  const auto write = [&](const std::string& name, std::span<const StoredKernel> kernels) {
    if (Status written = cache.write(name, kernels); !written) status = std::move(written);
  };
  for (const auto& program : artifact.programs) {
    std::vector<StoredKernel> kernels;
    std::vector<std::string> keys;
    for (const std::size_t i : program) {
      kernels.push_back(artifact.kernels[i]);
      keys.push_back(artifact.kernels[i].key);
    }
    write(names.emplace_back(entry_name(keys)), kernels);
  }
  for (const StoredKernel& choice : artifact.choices)
    write(names.emplace_back(choice_name(choice.key)), std::span(&choice, 1));
  // Only now are all entries written: an entry may have been removed to make room for later ones.
  const auto is_stored = [&](const std::string& name) { return cache.contents(name).kernels.ok(); };
  const std::size_t kept = std::ranges::count_if(names, is_stored);
  return {kept, kept < names.size() ? status : Status()};
}

}  // namespace compiler

std::string save_artifacts() {
  return compiler::write_artifact(
      {.kernels = compiler::KernelCache::instance().all(), .choices = compiler::known_choices()});
}

std::size_t load_artifacts(std::string_view bytes) {
  compiler::Artifact artifact = compiler::read_artifact(bytes);
  const std::size_t kernels = artifact.kernels.size();
  compiler::KernelCache::instance().add(std::move(artifact.kernels));
  compiler::add_choices(artifact.choices);
  return kernels;
}

}  // namespace weft
