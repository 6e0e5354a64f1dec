// Kernels on disk: later processes find them, and damaged, foreign or partly written files are never trusted.
#include <weft/compiler/cache/disk_cache.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/base/file.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/temporary_folder.h>
#include <weft/compiler/compiler.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>

#include "../run.h"

namespace weft::compiler {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::shared_ptr<const ir::Graph> graph_with_number(double number) {
  const Type type(DType::f32, {Dim(8), Dim(16)});
  return ir::make_graph(std::vector{type}, [&](ir::Graph&, std::span<const ir::Value> x) {
    return std::vector{ir::softmax(x[0] * number)};
  });
}

class DiskCacheTest : public testing::Test {
 protected:
  DiskCacheTest() { clear_kernel_cache(); }

  // Compiles as a new process would: with no kernels in memory.
  Report compile_anew(const ir::Graph& graph, std::vector<ir::Array>* result = nullptr) {
    clear_kernel_cache();
    Report report;
    std::vector<ir::Array> inputs{ir::Array(graph.inputs()[0].type())};
    auto outputs = test::run_compiled(graph, inputs, {}, &report);
    if (result) *result = std::move(outputs);
    return report;
  }
  std::filesystem::path only_entry() const {
    const auto files = DiskCache(place, 0).files();
    EXPECT_EQ(files.size(), 1u);
    return place / files.at(0).name;
  }

  TemporaryFolder folder;
  const std::filesystem::path place = folder / "cache";
  const knobs::Override<knobs::Switch> on{knobs::cache, true};
  const knobs::Override<knobs::Text> where{knobs::cache_dir, place.string()};
  const std::vector<StoredKernel> kernels{{"first key", std::string(3000, 'x')}, {"second", "machine code"}};
};

TEST_F(DiskCacheTest, LaterProcessesCompileNothing) {
  const auto graph = graph_with_number(2), other = graph_with_number(3);
  std::vector<ir::Array> compiled, loaded;
  Report report = compile_anew(*graph, &compiled);
  EXPECT_GT(report.compiled_kernels, 0);
  EXPECT_EQ(report.loaded_kernels, 0);
  const int kernel_count = report.compiled_kernels;
  report = compile_anew(*graph, &loaded);
  EXPECT_EQ(report.compiled_kernels, 0);
  EXPECT_EQ(report.loaded_kernels, kernel_count);
  EXPECT_EQ(compiled, loaded);
  EXPECT_GT(compile_anew(*other).compiled_kernels, 0) << "a constant is part of the code";
  const knobs::Override<knobs::Switch> off{knobs::cache, false};
  EXPECT_GT(compile_anew(*graph).compiled_kernels, 0);
}

TEST_F(DiskCacheTest, AProgramWhoseKernelsAreInMemoryIsKeptToo) {
  const auto graph = graph_with_number(2);
  compile_anew(*graph);
  std::filesystem::remove(only_entry());
  Report report;
  std::vector<ir::Array> inputs{ir::Array(graph->inputs()[0].type())};
  test::run_compiled(*graph, inputs, {}, &report);
  EXPECT_EQ(report.compiled_kernels, 0) << "the kernels are in memory";
  EXPECT_EQ(compile_anew(*graph).compiled_kernels, 0) << "the kernels are on disk, for the next process";
}

TEST_F(DiskCacheTest, DamagedEntriesAreCompiledAnew) {
  const auto graph = graph_with_number(2);
  std::vector<ir::Array> want, got;
  compile_anew(*graph, &want);
  const auto path = only_entry();
  const std::string whole = read_file(path);
  for (const std::string& bytes : {whole.substr(0, whole.size() / 2), std::string(), whole + "x"}) {
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_GT(compile_anew(*graph, &got).compiled_kernels, 0);
    EXPECT_EQ(got, want);
    EXPECT_EQ(read_file(path).size(), whole.size()) << "the damaged entry is replaced";
  }
}

TEST_F(DiskCacheTest, CodeThatCannotBeMappedIsCompiledAnew) {
  const auto graph = graph_with_number(2);
  std::vector<ir::Array> want, got;
  compile_anew(*graph, &want);
  const auto path = only_entry();
  auto stored = read_entry(read_file(path));
  ASSERT_TRUE(stored);
  for (StoredKernel& kernel : *stored) kernel.object = "no object file";
  std::ofstream(path, std::ios::binary) << write_entry(*stored);
  EXPECT_GT(compile_anew(*graph, &got).compiled_kernels, 0);
  EXPECT_EQ(got, want);
}

// Takes a real entry, changes every byte in one bit and in all bits, and truncates it at every length.
TEST_F(DiskCacheTest, AnyByteChangedOrMissingIsNoticed) {
  compile_anew(*graph_with_number(2));
  const std::string whole = read_file(only_entry());
  std::size_t accepted = 0;
  const auto take = [&](std::string_view bytes) { accepted += read_entry(bytes).ok(); };
  std::string changed = whole;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int bits : {1 << i % 8, 0xff}) {
      changed[i] = static_cast<char>(whole[i] ^ bits);
      take(changed);
    }
    changed[i] = whole[i];
    take(std::string_view(whole).substr(0, i));
  }
  EXPECT_EQ(accepted, 0u);
  take(whole);
  EXPECT_EQ(accepted, 1u);
}

TEST_F(DiskCacheTest, PlacesOfOthersAreRefused) {
  const DiskCache cache(place, 1 << 20);
  EXPECT_TRUE(cache.open());
  std::filesystem::permissions(place, std::filesystem::perms(0777));
  EXPECT_THAT(cache.open().reason(), HasSubstr("can be written by others"));
  const auto graph = graph_with_number(2);
  EXPECT_GT(compile_anew(*graph).compiled_kernels, 0);
  EXPECT_TRUE(std::filesystem::is_empty(place));
  std::filesystem::permissions(place, std::filesystem::perms(0700));

  EXPECT_TRUE(cache.write("entry.kernels", kernels));
  EXPECT_TRUE(cache.read("entry.kernels"));
  std::filesystem::permissions(place / "entry.kernels", std::filesystem::perms(0666));
  EXPECT_FALSE(cache.read("entry.kernels"));

  std::ofstream(folder / "file") << "no folder";
  EXPECT_THAT(DiskCache(folder / "file", 1 << 20).open().reason(), HasSubstr("is not a folder"));
  EXPECT_THAT(DiskCache(folder / "file" / "below", 1 << 20).open().reason(), HasSubstr("cannot be made"));
}

// The folder is created for this user only, whatever its spelling and the user's umask.
TEST_F(DiskCacheTest, AFolderMayBeNamedWithASlash) {
  const mode_t before = ::umask(0002);
  for (const char* name : {"slash/", "slashes//", "dot/.", "deep/below/"}) {
    EXPECT_THAT(DiskCache(folder / name, 1 << 20).open().reason(), IsEmpty()) << name;
    EXPECT_THAT(DiskCache(folder / name, 1 << 20).open().reason(), IsEmpty()) << name;
  }
  ::umask(before);
  EXPECT_EQ(DiskCache("/", 0).folder(), "/");
  EXPECT_EQ(DiskCache("here/", 0).folder(), "here");
}

TEST_F(DiskCacheTest, WhatIsNoEntryIsSaidAndRemoved) {
  const DiskCache cache(place, 1 << 20);
  ASSERT_TRUE(cache.open());
  const std::string keys[] = {"first key", "second"};
  const std::string good = entry_name(keys);
  EXPECT_TRUE(cache.write(good, kernels));
  EXPECT_TRUE(cache.contents(good).kernels);
  const auto refused = [&](const std::string& name) {
    const DiskCache::Contents contents = cache.contents(name);
    EXPECT_FALSE(contents.kernels || contents.is_removed) << name;
    return contents.kernels.reason();
  };
  EXPECT_TRUE(cache.write("other.kernels", kernels));
  EXPECT_EQ(refused("other.kernels"), "it is the entry of another program");
  std::ofstream(place / "large.kernels") << "x";
  std::filesystem::permissions(place / "large.kernels", std::filesystem::perms(0600));
  std::filesystem::resize_file(place / "large.kernels", std::uint64_t{4} << 30);
  EXPECT_THAT(refused("large.kernels"), HasSubstr("it has 4294967296 bytes"));
  std::filesystem::create_directories(place / "folder.kernels" / "below");
  std::filesystem::permissions(place / "folder.kernels", std::filesystem::perms(0700));
  EXPECT_THAT(refused("folder.kernels"), HasSubstr("it is a folder"));
  ASSERT_EQ(::mkfifo((place / "pipe.choice").c_str(), 0600), 0);
  EXPECT_THAT(refused("pipe.choice"), HasSubstr("it is not a regular file"));
  std::filesystem::create_symlink("nowhere", place / "link.kernels");
  EXPECT_THAT(refused("link.kernels"), HasSubstr("cannot be read"));
  EXPECT_TRUE(cache.write(choice_name("a site"), kernels));
  EXPECT_EQ(refused(choice_name("a site")), "it is the entry of another program");
  std::filesystem::permissions(place / good, std::filesystem::perms(0620));
  EXPECT_THAT(refused(good), HasSubstr("can be written by others"));
  EXPECT_TRUE(cache.contents("vanished.kernels").is_removed);

  EXPECT_EQ(cache.files().size(), 7u);
  for (const DiskCache::File& file : cache.files()) EXPECT_EQ(cache.remove(file.name).files, 1u) << file.name;
  const auto [files, status] = cache.remove("vanished.kernels");
  EXPECT_EQ(files, 0u);
  EXPECT_TRUE(status) << status.reason();
  EXPECT_TRUE(cache.files().empty());
}

TEST_F(DiskCacheTest, WhyThereIsNone) {
  const DiskCache cache(place, 1 << 20);
  ASSERT_TRUE(cache.open());
  const std::string keys[] = {"first key", "second"}, others[] = {"third"};
  EXPECT_EQ(cache.read(entry_name(keys)).reason(), "no program with these kernels was kept there");
  EXPECT_TRUE(cache.write(program_name(keys) + "-00000000.kernels", kernels));
  EXPECT_THAT(cache.read(entry_name(keys)).reason(), HasSubstr("only other builds of weft, or other processors"));
  EXPECT_EQ(cache.read(entry_name(others)).reason(), "no program with these kernels was kept there");
}

// If the cache cannot be used, that is logged once, whatever channels are enabled, and programs are compiled.
TEST_F(DiskCacheTest, AnUnusableFolderIsAWarningAndACompile) {
  std::vector<std::string> said;
  logging::set_channels("");
  logging::set_sink([&](logging::Channel channel, std::string_view message) {
    EXPECT_EQ(channel, logging::Channel::warnings);
    said.emplace_back(message);
  });
  const auto compiled_in = [&](const char* name, auto spoil) {
    const knobs::Override<knobs::Text> other{knobs::cache_dir, (folder / name).string()};
    spoil(folder / name);
    said.clear();
    EXPECT_GT(compile_anew(*graph_with_number(2)).compiled_kernels, 0);
    EXPECT_GT(compile_anew(*graph_with_number(3)).compiled_kernels, 0);
    EXPECT_EQ(said.size(), 1u) << name;
    return said.empty() ? std::string() : said[0];
  };
  using std::filesystem::path;
  const auto make_writable = [](const path& at) {
    std::filesystem::create_directory(at);
    std::filesystem::permissions(at, std::filesystem::perms(0777));
  };
  EXPECT_THAT(compiled_in("writable", make_writable), HasSubstr("is not used: "));
  EXPECT_THAT(compiled_in("a file", [](const path& at) { std::ofstream(at) << "x"; }), HasSubstr("is not a folder"));
  EXPECT_THAT(
      compiled_in("dangling", [&](const path& at) { std::filesystem::create_symlink(folder / "is_removed", at); }),
      HasSubstr("is a link to nothing"));
  std::ofstream(folder / "a file beside") << "x";
  EXPECT_THAT(compiled_in("a file beside/below", [](const path&) {}), HasSubstr("cannot be made: Not a directory"));
  if (::geteuid() == 0) {
    const auto give_away = [](const path& at) {
      std::filesystem::create_directory(at);
      ASSERT_EQ(::chown(at.c_str(), 1234, 1234), 0);
    };
    EXPECT_THAT(compiled_in("foreign", give_away), HasSubstr("belongs to someone else"));
  }
  static int error = 0;
  weft::detail::file_fault = [](const char* operation) { return std::string_view(operation) == "write" ? error : 0; };
  const auto nothing = [](const path&) {};
  error = ENOSPC;
  EXPECT_THAT(compiled_in("full", nothing), HasSubstr("No space left on device"));
  error = EROFS;
  EXPECT_THAT(compiled_in("read-only", nothing), HasSubstr("Read-only file system"));
  weft::detail::file_fault = nullptr;
  logging::set_sink({});
}

// Removes an environment variable for the lifetime of this object.
class Unset {
 public:
  explicit Unset(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) value_ = value;
    ::unsetenv(name);
  }
  ~Unset() {
    if (value_) ::setenv(name_, value_->c_str(), 1);
  }
  Unset(const Unset&) = delete;
  Unset& operator=(const Unset&) = delete;

 private:
  const char* name_;
  std::optional<std::string> value_;
};

TEST_F(DiskCacheTest, NoPlaceAtAllIsAWarningAndACompile) {
  const Unset home("HOME"), base("XDG_CACHE_HOME");
  const knobs::Override<knobs::Text> nowhere{knobs::cache_dir, ""};
  std::vector<std::string> said;
  logging::set_sink([&](logging::Channel, std::string_view message) { said.emplace_back(message); });
  for (const double number : {2, 3}) EXPECT_GT(compile_anew(*graph_with_number(number)).compiled_kernels, 0);
  logging::set_sink({});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], testing::AllOf(HasSubstr("HOME"), HasSubstr("WEFT_CACHE_DIR")));
}

TEST_F(DiskCacheTest, TheLeastRecentlyUsedLeaveFirst) {
  const std::uint64_t one = write_entry(kernels).size();
  const DiskCache cache(place, 16 * one + 10);
  ASSERT_TRUE(cache.open());
  const auto name = [](int i) { return concat("entry", i, ".kernels"); };
  for (int i = 0; i < 16; ++i) {
    EXPECT_TRUE(cache.write(name(i), kernels));
    std::filesystem::last_write_time(place / name(i),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(20 - i));
  }
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(std::filesystem::exists(place / name(i)));
  EXPECT_TRUE(cache.read(name(0)));  // this also marks it as used
  EXPECT_TRUE(cache.write(name(16), kernels));
  EXPECT_FALSE(cache.read(name(1)));
  EXPECT_FALSE(cache.read(name(2))) << "an eighth of the limit is free again";
  for (const int i : {0, 3, 4, 15, 16}) EXPECT_TRUE(cache.read(name(i))) << i;
  EXPECT_TRUE(cache.write(name(17), kernels));
  EXPECT_TRUE(cache.read(name(3))) << "there was room";
  EXPECT_EQ(cache.prune(one).files, 15u);
  EXPECT_EQ(cache.files().size(), 1u);
}

TEST_F(DiskCacheTest, WhatIsKnownOfTheFolderIsMadeAnewWhereItIsLost) {
  const std::uint64_t one = write_entry(kernels).size();
  const DiskCache cache(place, 8 * one);
  ASSERT_TRUE(cache.open());
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(cache.write(concat("entry", i, "-0a.kernels"), kernels));
  ASSERT_EQ(FolderSummary::read(place)->bytes, 8 * one);
  EXPECT_THAT(FolderSummary::read(place)->origins, testing::ElementsAre("-0a.kernels"));
  const std::string whole = read_file(place / FolderSummary::file_name);
  for (const std::string& damaged : {std::string(), whole.substr(0, whole.size() - 5), std::string("-1\nend\n")}) {
    std::ofstream(place / FolderSummary::file_name, std::ios::binary) << damaged;
    EXPECT_TRUE(cache.write("more-0b.kernels", kernels));
    ASSERT_TRUE(FolderSummary::read(place));
    EXPECT_EQ(FolderSummary::read(place)->bytes, cache.files().size() * one);
    EXPECT_LE(cache.files().size(), 8u);
  }
  for (const DiskCache::File& file : cache.files()) std::filesystem::remove(place / file.name);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(cache.write(concat("later", i, "-0a.kernels"), kernels));
  EXPECT_EQ(cache.files().size(), 8u) << "entries that others removed take no room";
}

TEST_F(DiskCacheTest, AFolderOfManyOriginsKnowsTheLastOnes) {
  FolderSummary summary;
  for (int i = 0; i < 200; ++i) summary.add_origin(concat("-", i, ".kernels"));
  summary.add_origin("-150.kernels");
  EXPECT_EQ(summary.origins.size(), FolderSummary::most_origins);
  EXPECT_EQ(summary.origins.back(), "-150.kernels");
  EXPECT_EQ(summary.origins.front(), "-136.kernels");
}

// Processes write and read entries and are killed at any time.
TEST_F(DiskCacheTest, AnEntryStaysIfTheNewOneShouldNotReplaceIt) {
  const DiskCache cache(place, 1 << 20);
  ASSERT_TRUE(cache.open());
  const std::string name = choice_name("a site");
  const auto write = [&](const char* text, const Replaces& replaces) {
    const StoredKernel kernel{"a site", text};
    return cache.write(name, std::span(&kernel, 1), replaces).ok();
  };
  const auto kept = [&] { return cache.contents(name).kernels->front().object; };
  int asked = 0;
  const auto answer = [&](bool is_replaced) {
    return [&, is_replaced](std::span<const StoredKernel> before) {
      ++asked;
      EXPECT_EQ(before.front().object, "first");
      return is_replaced;
    };
  };
  EXPECT_TRUE(write("first", answer(false))) << "there is nothing to replace";
  EXPECT_EQ(asked, 0);
  EXPECT_FALSE(write("second", answer(false)));
  EXPECT_EQ(kept(), "first");
  EXPECT_TRUE(write("second", answer(true)));
  EXPECT_EQ(kept(), "second");
  EXPECT_EQ(asked, 2);
}

TEST_F(DiskCacheTest, KilledWritersLeaveNothingThatIsTaken) {
  const DiskCache cache(place, std::uint64_t{1} << 30);
  ASSERT_TRUE(cache.open());
  const auto entry_of = [](int i) {
    return std::vector<StoredKernel>{{concat("key ", i), std::string(20'000, static_cast<char>('a' + i))}};
  };
  constexpr int entries = 8, rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0;; i = (i + 1) % entries) std::ignore = cache.write(concat(i, ".kernels"), entry_of(i));
    }
    ::usleep(static_cast<useconds_t>(round * 7919 % 8'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    for (int i = 0; i < entries; ++i) {
      if (const auto found = cache.read(concat(i, ".kernels"))) {
        EXPECT_EQ(found->at(0).key, concat("key ", i));
        EXPECT_EQ(found->at(0).object, entry_of(i)[0].object);
      }
    }
  }
  EXPECT_TRUE(cache.write("last.kernels", kernels));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place))
    EXPECT_TRUE(entry.is_directory() || entry.path().extension() == ".kernels" ||
                entry.path().filename() == FolderSummary::file_name)
        << entry.path() << ": the next write should have removed what killed processes left";
}

TEST_F(DiskCacheTest, ManyProcessesShareOneFolder) {
  const std::uint64_t one = write_entry(kernels).size();
  const DiskCache cache(place, 20 * one);
  ASSERT_TRUE(cache.open());
  std::vector<pid_t> children;
  for (int process = 0; process < 16; ++process) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0; i < 200; ++i) {
        const std::string name = concat((process * 31 + i * 7) % 40, ".kernels");
        const auto found = cache.read(name);
        if (found && found->at(1).object != "machine code") ::_exit(1);
        if (!found) std::ignore = cache.write(name, kernels);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  std::uint64_t bytes = 0;
  for (const DiskCache::File& file : cache.files()) bytes += file.bytes;
  EXPECT_LE(bytes, 20 * one);
  EXPECT_GT(bytes, 0u);
}

}  // namespace
}  // namespace weft::compiler
