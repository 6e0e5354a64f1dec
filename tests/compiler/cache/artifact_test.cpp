// Artifacts are accepted as a whole and from trusted signers, or not at all.
#include <weft/compiler/artifact.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/file.h>
#include <weft/base/knobs.h>
#include <weft/base/temporary_folder.h>
#include <weft/compiler/artifacts.h>
#include <weft/compiler/cache/disk_cache.h>
#include <weft/compiler/cache/kernel_cache.h>
#include <weft/compiler/cache/signature.h>
#include <weft/compiler/compiler.h>
#include <weft/compiler/tuning/trials.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>

#include "../run.h"

namespace weft::compiler {
namespace {

using testing::HasSubstr;

class ArtifactTest : public testing::Test {
 protected:
  ArtifactTest() { clear_kernel_cache(); }

  Report compile_softmax(double scale = 1) {
    const Type type(DType::f32, {Dim(8), Dim(16)});
    const auto graph = ir::make_graph(std::vector{type}, [&](ir::Graph&, std::span<const ir::Value> x) {
      return std::vector{ir::softmax(x[0] * scale)};
    });
    Report report;
    std::vector<ir::Array> inputs{ir::Array(type)};
    result = test::run_compiled(*graph, inputs, {}, &report);
    return report;
  }
  static std::string refusal(std::string_view bytes) {
    try {
      read_artifact(bytes);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder;
  const knobs::Override<knobs::Switch> cache{knobs::cache, true};
  const knobs::Override<knobs::Text> where{knobs::cache_dir, (folder / "cache").string()};
  const knobs::Override<knobs::Text> key{knobs::key_file, (folder / "keys" / "mine").string()};
  std::vector<ir::Array> result;
};

TEST_F(ArtifactTest, CarriesKernelsToAProcessThatCompilesNothing) {
  const Report first = compile_softmax();
  ASSERT_GT(first.compiled_kernels, 0);
  const auto want = result;
  const std::string bytes = save_artifacts();
  clear_kernel_cache();
  std::filesystem::remove_all(folder / "cache");
  EXPECT_EQ(load_artifacts(bytes), static_cast<std::size_t>(first.compiled_kernels));
  const Report second = compile_softmax();
  EXPECT_EQ(second.compiled_kernels, 0);
  EXPECT_EQ(second.loaded_kernels, first.compiled_kernels);
  EXPECT_EQ(result, want);
  EXPECT_EQ(DiskCache(folder / "cache", 1 << 20).files().size(), 1u) << "later processes find it";
}

TEST_F(ArtifactTest, CarriesAFolder) {
  compile_softmax();
  const DiskCache from(folder / "cache", 1 << 20);
  const std::string bytes = write_artifact(artifact_of(from));
  const DiskCache to(folder / "other", 1 << 20);
  ASSERT_TRUE(to.open());
  EXPECT_EQ(add_to(to, read_artifact(bytes)).entries, 1u);
  ASSERT_EQ(to.files().size(), 1u);
  EXPECT_EQ(read_file(folder / "other" / to.files()[0].name), read_file(folder / "cache" / from.files()[0].name));
}

TEST_F(ArtifactTest, CarriesTheChoicesOfAFolder) {
  compile_softmax();
  const DiskCache from(folder / "cache", 1 << 20);
  const StoredKernel choice{"a site", "generated: standard 2 ms, generated 1 ms"};
  EXPECT_TRUE(from.write(choice_name(choice.key), std::span(&choice, 1)));
  const Artifact artifact = read_artifact(write_artifact(artifact_of(from)));
  EXPECT_EQ(artifact.programs.size(), 1u);
  const DiskCache to(folder / "other", 1 << 20);
  ASSERT_TRUE(to.open());
  EXPECT_EQ(add_to(to, artifact).entries, 2u);
  const auto found = to.read(choice_name(choice.key));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().object, choice.object);
}

TEST_F(ArtifactTest, SaysWhatAFolderHadNoRoomFor) {
  Artifact artifact;
  for (const char* name : {"a", "b", "c", "d"}) {
    artifact.programs.push_back({artifact.kernels.size()});
    artifact.kernels.push_back({name, std::string(1000, 'x')});
  }
  const std::uint64_t one = write_entry(std::span(artifact.kernels).first(1)).size();
  const DiskCache small(folder / "small", 2 * one), none(folder / "none", one - 1);
  ASSERT_TRUE(small.open());
  ASSERT_TRUE(none.open());
  const Import some = add_to(small, artifact), nothing = add_to(none, artifact);
  EXPECT_EQ(some.entries, 2u);
  EXPECT_EQ(small.files().size(), 2u);
  EXPECT_THAT(some.status.reason(), HasSubstr("WEFT_CACHE_BYTES has no room for all of them"));
  EXPECT_EQ(nothing.entries, 0u);
  EXPECT_THAT(nothing.status.reason(), HasSubstr("bytes are more than WEFT_CACHE_BYTES allows"));
}

// Takes a real artifact of at least 8 KiB, changes every byte in one bit and in all bits, and truncates it at every length.
TEST_F(ArtifactTest, DamageOfAnyKindIsRefused) {
  std::string whole;
  for (double scale = 1; whole.size() < 8192; ++scale) {
    compile_softmax(scale);
    whole = save_artifacts();
  }
  clear_kernel_cache();
  std::size_t accepted = 0;
  const auto take = [&](std::string_view bytes) {
    try {
      load_artifacts(bytes);
      ++accepted;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("load_artifacts: the artifact is refused: "));
    }
  };
  std::string changed = whole;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int bits : {1 << i % 8, 0xff}) {
      changed[i] = static_cast<char>(whole[i] ^ bits);
      take(changed);
    }
    changed[i] = whole[i];
    take(std::string_view(whole).substr(0, i));
  }
  take(whole + "x");
  EXPECT_EQ(accepted, 0u);
  EXPECT_EQ(KernelCache::instance().bytes(), 0u);
  take(whole);
  EXPECT_EQ(accepted, 1u);
}

TEST_F(ArtifactTest, SomebodyElsesIsRefusedUnlessTrusted) {
  const std::string public_key = own_public_key(), bytes = write_artifact({{{"key", "code"}}, {{0}}});
  const knobs::Override<knobs::Text> other{knobs::key_file, (folder / "keys" / "theirs").string()};
  EXPECT_THAT(refusal(bytes), HasSubstr("signed by " + public_key));
  own_public_key();
  EXPECT_THAT(refusal(bytes), HasSubstr("WEFT_TRUSTED_KEYS"));
  const knobs::Override<knobs::Text> trusted{knobs::trusted_keys, std::string(64, '0') + "," + public_key};
  EXPECT_EQ(refusal(bytes), "");
}

TEST_F(ArtifactTest, KeysOthersCouldReplaceAreNotUsed) {
  own_public_key();
  const auto path = folder / "keys" / "mine";
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
  std::filesystem::permissions(path, std::filesystem::perms(0666));
  EXPECT_THROW(own_public_key(), Error);
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  std::ofstream(path) << "short";
  EXPECT_THROW(own_public_key(), Error);
}

TEST_F(ArtifactTest, CarriesTheChoicesOfThisProcess) {
  int prepared = 0;
  const auto prepare = [&] {
    ++prepared;
    return [] {};
  };
  const Trial trials[] = {{"standard", prepare}, {"generated", prepare}};
  forget_choices();
  const Choice first = fastest("a site", trials);
  EXPECT_EQ(prepared, 2);
  const std::string bytes = save_artifacts();
  forget_choices();
  std::filesystem::remove_all(folder / "cache");
  load_artifacts(bytes);
  const Choice again = fastest("a site", trials);
  EXPECT_EQ(prepared, 2) << "nothing should be measured";
  EXPECT_TRUE(again.is_known);
  EXPECT_EQ(again.name, first.name);
  EXPECT_EQ(again.told, first.told);
  EXPECT_EQ(DiskCache(folder / "cache", 1 << 20).files().size(), 1u) << "later processes find it";
  forget_choices();
}

}  // namespace
}  // namespace weft::compiler
