// weft cache: shows and manages the compiled kernels on disk.
#include <chrono>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/json.h>
#include <weft/base/knobs.h>
#include <weft/cli/command_line.h>
#include <weft/cli/options.h>
#include <weft/compiler/artifact.h>
#include <weft/compiler/cache/disk_cache.h>
#include <weft/compiler/cache/remote_cache.h>
#include <weft/compiler/cache/signature.h>
#include <weft/compiler/options/target.h>

namespace weft::cli {

namespace {

using compiler::DiskCache;

DiskCache open_cache() {
  const auto folder = DiskCache::default_folder();
  require(!folder.empty(), "cache: there is no place for it: set WEFT_CACHE_DIR");
  DiskCache cache(folder, knobs::cache_bytes());
  const Status opened = cache.open();
  require(opened.ok(), "cache: not used: ", opened.reason());
  return cache;
}

struct Listed {
  DiskCache::File file;
  std::string state;  // "ok, 33 kernels", or the reason why it is not valid
  bool usable = false;
};

std::string state_of(const std::string& name, const DiskCache::Contents& contents) {
  if (!contents.kernels) return contents.kernels.reason();
  if (name.ends_with(compiler::choice_extension)) return concat("ok, autotuned: ", contents.kernels->front().object);
  return concat("ok, ", contents.kernels->size(), " kernels");
}

std::vector<Listed> look_at(const DiskCache& cache) {
  std::vector<Listed> all;
  for (DiskCache::File& file : cache.files()) {
    const DiskCache::Contents contents = cache.contents(file.name);
    if (contents.is_removed) continue;
    std::string state = state_of(file.name, contents);
    all.push_back({std::move(file), std::move(state), contents.kernels.ok()});
  }
  return all;
}

double hours_since(std::filesystem::file_time_type time) {
  return std::chrono::duration<double, std::ratio<3600>>(std::filesystem::file_time_type::clock::now() - time).count();
}

void list(bool as_json) {
  const DiskCache cache = open_cache();
  const auto all = look_at(cache);
  std::uint64_t bytes = 0;
  for (const Listed& entry : all) bytes += entry.file.bytes;
  if (as_json) {
    nlohmann::ordered_json root{
        {"folder", cache.folder().string()}, {"bytes", bytes}, {"entries", nlohmann::json::array()}};
    for (const Listed& entry : all)
      root["entries"].push_back({{"name", entry.file.name},
                                 {"bytes", entry.file.bytes},
                                 {"unused_hours", hours_since(entry.file.used)},
                                 {"state", entry.state},
                                 {"usable", entry.usable}});
    std::cout << print_json(root) << std::endl;
    return;
  }
  for (const Listed& entry : all)
    std::cout << entry.file.name << "  " << entry.file.bytes << " bytes  " << entry.state << '\n';
  std::cout << all.size() << " entries, " << bytes << " bytes in " << cache.folder().string() << std::endl;
}

void verify() {
  const DiskCache cache = open_cache();
  std::size_t wrong = 0;
  const auto all = look_at(cache);
  for (const Listed& entry : all) {
    if (entry.usable) continue;
    ++wrong;
    std::cout << entry.file.name << ": " << entry.state << '\n';
  }
  std::cout << all.size() - wrong << " of " << all.size() << " entries are good" << std::endl;
  require(wrong == 0, "cache: ", wrong, " entries cannot be used; `weft cache prune` removes them");
}

void prune(std::int64_t most_bytes) {
  const DiskCache cache = open_cache();
  std::size_t files = 0;
  Status status;
  const auto add = [&](DiskCache::Removed removed) {
    files += removed.files;
    if (!removed.status) status = std::move(removed.status);
  };
  for (const Listed& entry : look_at(cache))
    if (!entry.usable) add(cache.remove(entry.file.name));
  add(cache.prune(most_bytes));
  std::cout << files << " entries removed" << std::endl;
  require(status.ok(), "cache: not all was removed that should be: ", status.reason());
}

// Describes the store and what processes asked of it so far.
std::string store_state(const DiskCache& cache) {
  if (knobs::cache_url().empty()) return "none: WEFT_CACHE_URL is not set";
  compiler::RemoteCache* const store = compiler::RemoteCache::from_knobs();
  if (!store) return concat(knobs::cache_url(), ", not used");
  const auto start = std::chrono::steady_clock::now();
  const Status answer = store->probe();
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return concat(store->url(), answer ? fmt::format(", answers in {:.1f} ms", ms) : concat(", fails: ", answer.reason()),
                "\n           ", compiler::RemoteCounts::read(cache.folder()).told());
}

void info() {
  const DiskCache cache = open_cache();
  std::uint64_t bytes = 0;
  const auto files = cache.files();
  for (const DiskCache::File& file : files) bytes += file.bytes;
  std::cout << "folder     " << cache.folder().string() << "\nentries    " << files.size() << "\nbytes      " << bytes
            << " of " << knobs::cache_bytes() << "\nprocessor  " << compiler::Target::host().key << "\npublic key "
            << compiler::own_public_key() << "\nstore      " << store_state(cache) << std::endl;
}

void export_to(const std::filesystem::path& path) {
  const auto status = std::filesystem::symlink_status(path);
  require(!exists(status) || is_regular_file(status), "cache: ", path.string(),
          " exists and is no regular file; name another place to export to");
  const auto artifact = compiler::artifact_of(open_cache());
  require(!artifact.programs.empty(), "cache: there is nothing to export");
  write_file(path, compiler::write_artifact(artifact));
  std::cout << artifact.programs.size() + artifact.choices.size() << " entries, " << artifact.kernels.size()
            << " kernels in " << path.string() << std::endl;
}

void import_from(const std::filesystem::path& path) {
  const DiskCache cache = open_cache();
  const auto artifact = [&] {
    const std::string bytes = read_file(path);
    try {
      return compiler::read_artifact(bytes);
    } catch (const Error& wrong) {
      fail(path.string(), ": ", wrong.what());
    }
  }();
  require(!artifact.programs.empty(), "cache: ", path.string(), " is of save_artifacts, for load_artifacts to read");
  const std::size_t all = artifact.programs.size() + artifact.choices.size();
  const auto [kept, status] = compiler::add_to(cache, artifact);
  std::cout << kept << " of " << all << " entries, " << artifact.kernels.size() << " kernels imported" << std::endl;
  require(kept == all, "cache: ", all - kept, " entries were not imported: ", status.reason());
}

}  // namespace

void add_cache(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("cache", "Show, check and trim the compiled kernels on disk");
  command.require_subcommand(1);
  CLI::App& list_command = *command.add_subcommand("list", "List all entries, the least recently used first");
  const auto json = std::make_shared<bool>(false);
  list_command.add_flag("--json", *json, "print one JSON object on the standard output, and nothing else");
  list_command.callback([json] { list(*json); });
  command.add_subcommand("verify", "Report entries that are damaged, from another build or not trusted")
      ->callback(verify);
  CLI::App& prune_command =
      *command.add_subcommand("prune", "Remove these, and the least recently used ones beyond a size");
  const auto bytes = std::make_shared<std::int64_t>(knobs::cache_bytes());
  add_bytes(prune_command, "--bytes", *bytes, "size to keep, in the form of WEFT_CACHE_BYTES; 0: remove everything");
  prune_command.callback([bytes] { prune(*bytes); });
  command
      .add_subcommand("info",
                      "Show the cache's folder, size and processor, the key that signs, and the state of the store")
      ->callback(info);
  const auto file = std::make_shared<std::string>();
  CLI::App& export_command = *command.add_subcommand(
      "export", "Write all entries, including autotuning choices, to one signed file for other machines");
  export_command.add_option("FILE", *file, "file to write")->required();
  export_command.callback([file] { export_to(*file); });
  CLI::App& import_command = *command.add_subcommand(
      "import", "Add the entries of an exported file, if it is intact and signed by a trusted key");
  import_command.add_option("FILE", *file, "file that export wrote")->required();
  import_command.callback([file] { import_from(*file); });
}

}  // namespace weft::cli
