// Kernels in a store that others write to: what fails, lies or is late costs little, is told once and is never executed.
#include <weft/compiler/cache/remote_cache.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/temporary_folder.h>
#include <weft/compiler/cache/object_store.h>
#include <weft/compiler/cache/signature.h>
#include <weft/compiler/cache/tiered_cache.h>

#include "store_server.h"

namespace weft::compiler {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using What = RemoteCounts::What;

// Sets the variables of the environment that the tools of AWS read, and no others of them, for its lifetime.
class AwsVariables {
 public:
  explicit AwsVariables(const std::map<std::string, std::string>& values) {
    for (const char* name : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION",
                             "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "http_proxy"}) {
      const char* const value = std::getenv(name);
      before_.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      ::unsetenv(name);
    }
    for (const auto& [name, value] : values) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~AwsVariables() {
    for (const auto& [name, value] : before_) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }
  AwsVariables(const AwsVariables&) = delete;
  AwsVariables& operator=(const AwsVariables&) = delete;

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

const std::map<std::string, std::string> credentials = {{"AWS_ACCESS_KEY_ID", "me"},
                                                        {"AWS_SECRET_ACCESS_KEY", "secret"}};

std::map<std::string, std::string> operator+(std::map<std::string, std::string> a,
                                             const std::map<std::string, std::string>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

std::string objects_of(const std::string& url, const std::map<std::string, std::string>& more = {}) {
  const AwsVariables variables(credentials + more);
  return ObjectStoreSettings::read(ObjectStorePlace::parse(url)).objects;
}

TEST(ObjectStore, WhereObjectsAre) {
  EXPECT_EQ(objects_of("s3://b"), "https://b.s3.us-east-1.amazonaws.com");
  EXPECT_EQ(objects_of("s3://b/a/prefix_1/", {{"AWS_DEFAULT_REGION", "eu-west-1"}}),
            "https://b.s3.eu-west-1.amazonaws.com/a/prefix_1");
  EXPECT_EQ(objects_of("s3://b.c/p", {{"AWS_REGION", "cn-north-1"}, {"AWS_DEFAULT_REGION", "eu-west-1"}}),
            "https://s3.cn-north-1.amazonaws.com.cn/b.c/p");
  EXPECT_EQ(objects_of("s3://b/p", {{"AWS_ENDPOINT_URL", "http://localhost:9000/"}}), "http://localhost:9000/b/p");
  EXPECT_EQ(objects_of("s3://b/p", {{"AWS_ENDPOINT_URL", "http://all"}, {"AWS_ENDPOINT_URL_S3", "https://s3"}}),
            "https://s3/b/p");
}

TEST(ObjectStore, SettingsThatMakeNoSense) {
  const auto refusal = [](const std::string& url, const std::map<std::string, std::string>& variables) -> std::string {
    const AwsVariables now(variables);
    try {
      ObjectStoreSettings::read(ObjectStorePlace::parse(url));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  for (const char* url :
       {"b", "https://b/p", "s3:/b", "s3://", "s3:///p", "s3://a b/p", "s3://b/p?region=x", "s3://b/é"})
    EXPECT_THAT(refusal(url, credentials),
                AllOf(HasSubstr("WEFT_CACHE_URL: expected s3://BUCKET or"), HasSubstr(concat("got '", url, "'"))));
  EXPECT_THAT(refusal("s3://b", {{"AWS_ACCESS_KEY_ID", "me"}}),
              HasSubstr("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"));
  EXPECT_THAT(
      refusal("s3://b", {{"AWS_ACCESS_KEY_ID", "me"}, {"AWS_SECRET_ACCESS_KEY", "secret"}, {"AWS_REGION", "a/b"}}),
      HasSubstr("AWS_REGION: expected"));
  EXPECT_THAT(
      refusal("s3://b",
              {{"AWS_ACCESS_KEY_ID", "me"}, {"AWS_SECRET_ACCESS_KEY", "secret"}, {"AWS_ENDPOINT_URL", "localhost"}}),
      HasSubstr("AWS_ENDPOINT_URL: expected"));
}

class RemoteCacheTest : public testing::Test {
 protected:
  RemoteCacheTest() {
    logging::set_sink([this](logging::Channel channel, std::string_view message) {
      const std::lock_guard lock(mutex);
      if (channel == logging::Channel::warnings) warnings.emplace_back(message);
    });
  }
  ~RemoteCacheTest() override { logging::set_sink({}); }

  void SetUp() override {
    try {
      ObjectStore::open({});
    } catch (const Error& without_libcurl) {
      GTEST_SKIP() << without_libcurl.what();
    }
  }

  ObjectStoreSettings settings(const std::string& endpoint) const {
    const AwsVariables variables(credentials + std::map<std::string, std::string>{{"AWS_ENDPOINT_URL", endpoint}});
    return ObjectStoreSettings::read(ObjectStorePlace::parse("s3://bucket/p"));
  }
  SignedEntry entry(const std::string& name = "name", milliseconds made_in = milliseconds(0)) const {
    return {name, {{"first key", std::string(3000, 'x')}, {"second", "machine code"}}, made_in};
  }
  std::string path(const std::string& name = "name") const { return "/bucket/p/" + name; }
  void store(const SignedEntry& stored) { server.put(path(stored.name), write_signed_entry(stored)); }
  void let_uploads_end(const RemoteCache& cache, std::uint64_t count = 1) const {
    for (int i = 0; i < 2000 && cache.counts()[What::uploads] + cache.counts()[What::errors] < count; ++i)
      std::this_thread::sleep_for(milliseconds(1));
  }
  static milliseconds time_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
  }

  const TemporaryFolder folder;
  const knobs::Override<knobs::Text> key{knobs::key_file, (folder / "key").string()};
  StoreServer server;
  const std::string url = "s3://bucket/p";
  std::mutex mutex;
  std::vector<std::string> warnings;
};

TEST_F(RemoteCacheTest, OneProcessReadsWhatAnotherWrote) {
  {
    RemoteCache first(url, settings(server.url()));
    EXPECT_FALSE(first.read("name"));
    EXPECT_FALSE(first.has("name"));
    first.write(entry());
    EXPECT_TRUE(first.has("name"));
  }  // the destructor waits for the upload
  ASSERT_TRUE(server.objects().contains(path()));
  RemoteCache second(url, settings(server.url()));
  const auto found = second.read("name");
  ASSERT_TRUE(found) << found.reason();
  EXPECT_EQ(found->at(1).key, "second");
  EXPECT_EQ(found->at(1).object, "machine code");
  EXPECT_TRUE(second.has("name"));
  EXPECT_EQ(second.counts()[What::hits], 1u);
  EXPECT_EQ(second.counts()[What::bytes_read], server.objects()[path()].size());
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(RemoteCacheTest, WhatTheStoreHasIsKeptOnDisk) {
  store(entry());
  RemoteCache remote(url, settings(server.url()));
  const auto disk = std::make_shared<DiskCache>(folder / "cache", std::uint64_t{1} << 20);
  ASSERT_TRUE(disk->open());
  const TieredCache tiers(disk, &remote);
  EXPECT_TRUE(tiers.read("name"));
  EXPECT_TRUE(disk->has("name"));
  EXPECT_TRUE(tiers.read("name"));
  EXPECT_EQ(server.requests(), 1);
  EXPECT_THAT(tiers.read("other").reason(),
              AllOf(HasSubstr("no program"), HasSubstr("s3://bucket/p: it has no such entry")));
  EXPECT_TRUE(TieredCache(nullptr, &remote).read("name")) << "without a disk";
}

TEST_F(RemoteCacheTest, AnyByteChangedOrMissingIsNoticed) {
  const std::string whole = write_signed_entry({"name", {{"key", "code"}}, milliseconds(5)});
  const auto taken = [](std::string_view bytes, const std::string& name = "name") {
    return read_signed_entry(bytes, name).ok();
  };
  std::size_t accepted = 0;
  std::string changed = whole;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int bits : {1 << i % 8, 0xff}) {
      changed[i] = static_cast<char>(whole[i] ^ bits);
      accepted += taken(changed);
    }
    changed[i] = whole[i];
    accepted += taken(std::string_view(whole).substr(0, i));
  }
  EXPECT_EQ(accepted + taken(whole + "x"), 0u);
  EXPECT_TRUE(taken(whole));
  EXPECT_EQ(read_signed_entry(whole, "name")->made_in, milliseconds(5));
  EXPECT_THAT(read_signed_entry(whole, "other").reason(), HasSubstr("of another program"));
}

TEST_F(RemoteCacheTest, WhatIsDamagedOrForeignIsToldOnceAndReplaced) {
  const std::string whole = write_signed_entry(entry()), signer = own_public_key();
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  for (const std::string& bytes :
       {flipped, whole.substr(0, whole.size() / 2), std::string("no entry"), std::string()}) {
    server.put(path(), bytes);
    RemoteCache cache(url, settings(server.url()));
    EXPECT_FALSE(cache.read("name"));
    EXPECT_FALSE(cache.read("name"));
    EXPECT_EQ(cache.counts()[What::refused], 2u) << "it is still asked";
    cache.write(entry());
    let_uploads_end(cache);
    EXPECT_TRUE(cache.read("name"));
  }
  EXPECT_EQ(warnings.size(), 4u);
  const knobs::Override<knobs::Text> theirs{knobs::key_file, (folder / "theirs").string()};
  warnings.clear();
  RemoteCache other(url, settings(server.url()));
  EXPECT_THAT(other.read("name").reason(), AllOf(HasSubstr("signed by " + signer), HasSubstr("WEFT_TRUSTED_KEYS")));
  EXPECT_EQ(warnings.size(), 1u);
  const knobs::Override<knobs::Text> trusted{knobs::trusted_keys, signer};
  EXPECT_TRUE(other.read("name"));
}

TEST_F(RemoteCacheTest, AnAnswerIsBoundedAndComplete) {
  server.answer_with([](const StoreRequest&) -> std::optional<std::string> {
    return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\nhalf";
  });
  RemoteCache cache(url, settings(server.url()));
  EXPECT_THAT(cache.read("name").reason(), HasSubstr("it cannot be reached: "));
  EXPECT_EQ(cache.counts()[What::errors], 1u);
  server.answer_with([](const StoreRequest&) -> std::optional<std::string> {
    return "HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\nno more, since nobody reads it";
  });
  EXPECT_THAT(cache.read("name").reason(), HasSubstr("more than 67108864 bytes"));
  server.answer_with([](const StoreRequest&) -> std::optional<std::string> {
    return "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" +
           std::string(2000, 'x');  // does not say how many bytes follow
  });
  const auto objects = ObjectStore::open(settings(server.url()));
  EXPECT_THAT(objects->get("name", 1000, std::chrono::seconds(10)).reason, HasSubstr("more than 1000 bytes"));
  EXPECT_EQ(objects->get("name", 2000, std::chrono::seconds(10)).body, std::string(2000, 'x'));
  server.answer_with({});
  store(entry());
  EXPECT_TRUE(cache.read("name"));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(RemoteCacheTest, AStoreThatIsNotThereIsToldOnceAndNotAskedAgain) {
  std::string nowhere;
  {
    const StoreServer gone;
    nowhere = gone.url();
  }
  RemoteCache cache(url, settings(nowhere));
  const auto time = time_of([&] {
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(cache.read(concat(i)));
    for (int i = 0; i < 10; ++i) cache.write(entry(concat(i)));
    cache.finish();
  });
  EXPECT_LT(time, milliseconds(1900));
  EXPECT_EQ(cache.counts()[What::errors], 3u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("cache_store: s3://bucket/p: it cannot be reached: "),
                                 HasSubstr("does not ask it again"), HasSubstr("remedy: check AWS_ENDPOINT_URL")));
}

TEST_F(RemoteCacheTest, AStoreThatDoesNotAnswerCostsASecondInAll) {
  server.answer_with([](const StoreRequest&) { return std::optional<std::string>(""); });
  RemoteCache cache(url, settings(server.url()));
  const auto time = time_of([&] {
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(cache.read(concat(i)));
    cache.write(entry());
    cache.finish();
  });
  EXPECT_GE(time, milliseconds(900));
  EXPECT_LT(time, milliseconds(1900));
  EXPECT_EQ(server.requests(), 1);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0],
              AllOf(HasSubstr("s3://bucket/p: its answers take too long"), HasSubstr("does not ask it again")));
}

TEST_F(RemoteCacheTest, UploadsAtTheEndCostASecondAtMost) {
  server.answer_with([](const StoreRequest&) { return std::optional<std::string>(""); });
  const auto time = time_of([&] {
    RemoteCache cache(url, settings(server.url()));
    for (int i = 0; i < 5; ++i) cache.write(entry(concat(i)));
  });
  EXPECT_GE(time, milliseconds(900));
  EXPECT_LT(time, milliseconds(1900));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("before 5 entries were uploaded"));
}

// A late answer is worth waiting for if it saves more time than it takes.
TEST_F(RemoteCacheTest, ASlowStoreIsAskedAsLongAsItSavesTime) {
  constexpr auto late = milliseconds(150);
  server.answer_with([&](const StoreRequest&) {
    std::this_thread::sleep_for(late);
    return std::optional<std::string>();
  });
  RemoteCache useful(url, settings(server.url())), useless(url, settings(server.url()));
  store(entry("name", milliseconds(500)));
  for (int i = 0; i < 12; ++i) EXPECT_TRUE(useful.read("name")) << i;
  EXPECT_THAT(warnings, IsEmpty());
  store(entry("name", milliseconds(1)));
  int found = 0;
  const auto time = time_of([&] {
    for (int i = 0; i < 12; ++i) found += useless.read("name").ok();
  });
  EXPECT_LT(found, 8);
  EXPECT_LT(time, milliseconds(1900));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("its answers take too long")));
}

TEST_F(RemoteCacheTest, APassingFailureIsForgiven) {
  store(entry());
  RemoteCache cache(url, settings(server.url()));
  int asked = 0;
  server.answer_with([&](const StoreRequest&) {
    return ++asked % 3 == 0 ? std::nullopt : std::optional(http_answer(503, "<Error><Code>SlowDown</Code></Error>"));
  });
  for (int i = 1; i <= 9; ++i) EXPECT_EQ(cache.read("name").ok(), i % 3 == 0) << i;
  EXPECT_THAT(warnings, IsEmpty());
  server.answer_with(
      [](const StoreRequest&) { return std::optional(http_answer(503, "<Error><Code>SlowDown</Code></Error>")); });
  const int before = server.requests();
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(cache.read("name"));
  EXPECT_EQ(server.requests() - before, 3);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("it answered 503 SlowDown; this process does not ask it again")));
}

TEST_F(RemoteCacheTest, ARefusalIsToldWithItsRemedy) {
  const auto warning_after = [&](const std::string& answer) {
    warnings.clear();
    server.answer_with([=](const StoreRequest&) { return std::optional(answer); });
    RemoteCache cache(url, settings(server.url()));
    const int before = server.requests();
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(cache.read("name"));
    EXPECT_EQ(server.requests() - before, 1);
    EXPECT_EQ(warnings.size(), 1u);
    return warnings.empty() ? "" : warnings[0];
  };
  EXPECT_THAT(warning_after(
                  http_answer(403, "<Error><Code>InvalidAccessKeyId</Code><Message>No\x1b[31m key</Message></Error>")),
              AllOf(HasSubstr("it answered 403 InvalidAccessKeyId: No [31m key;"),
                    HasSubstr("remedy: check AWS_ACCESS_KEY_ID")));
  EXPECT_THAT(warning_after(http_answer(404, "<Error><Code>NoSuchBucket</Code></Error>")),
              HasSubstr("create the bucket bucket"));
  EXPECT_THAT(warning_after(http_answer(301, "", "x-amz-bucket-region: eu-west-1\r\n")),
              HasSubstr("set AWS_REGION to the region of the bucket, eu-west-1"));
}

TEST_F(RemoteCacheTest, WhoMayNotWriteStillReads) {
  store(entry());
  server.answer_with([](const StoreRequest& request) {
    return request.method == "PUT" ? std::optional(http_answer(403, "<Error><Code>AccessDenied</Code></Error>"))
                                   : std::nullopt;
  });
  RemoteCache cache(url, settings(server.url()));
  cache.write(entry("other"));
  let_uploads_end(cache);
  cache.write(entry("more"));
  EXPECT_TRUE(cache.read("name"));
  cache.finish();
  EXPECT_EQ(cache.counts()[What::errors], 1u);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("this process uploads nothing more")));
}

TEST_F(RemoteCacheTest, ManyWritersLeaveOneWholeEntry) {
  const auto of = [&](char letter) {
    SignedEntry made = entry();
    made.kernels[1].object = std::string(200'000, letter);
    return made;
  };
  const ObjectStoreSettings here = settings(server.url());
  std::vector<std::jthread> writers;
  for (const char letter : {'a', 'b', 'c'})
    writers.emplace_back([&, letter] {
      RemoteCache cache(url, here);
      for (int i = 0; i < 10; ++i) cache.write(of(letter));
    });
  writers.clear();
  RemoteCache reader(url, settings(server.url()));
  const auto found = reader.read("name");
  ASSERT_TRUE(found) << found.reason();
  const std::string& object = found->at(1).object;
  EXPECT_EQ(object, std::string(200'000, object[0]));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(RemoteCacheTest, WhatWaitsForItsUploadIsBounded) {
  server.answer_with([](const StoreRequest&) { return std::optional<std::string>(""); });
  RemoteCache cache(url, settings(server.url()));
  SignedEntry large = entry();
  large.kernels[0].object = std::string(std::size_t{20} << 20, 'x');
  int taken = 0;
  for (int i = 0; i < 6; ++i) {
    large.name = concat(i);
    cache.write(large);
    taken += cache.has(large.name);
  }
  EXPECT_EQ(taken, 3);
}

TEST_F(RemoteCacheTest, AChildAfterAForkNeitherAsksNorWaits) {
  store(entry());
  RemoteCache cache(url, settings(server.url()));
  cache.write(entry("other"));
  let_uploads_end(cache);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool is_found = cache.read("name").ok();
    cache.write(entry("more"));
    cache.finish();
    ::_exit(is_found ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(cache.read("name"));
}

TEST_F(RemoteCacheTest, CountsAreSummedOverProcesses) {
  RemoteCounts counts;
  counts[What::hits] = 3;
  counts[What::bytes_read] = 2048;
  for (int i = 0; i < 2; ++i) counts.add_to(folder.path());
  EXPECT_EQ(RemoteCounts::read(folder.path())[What::hits], 6u);
  EXPECT_THAT(RemoteCounts::read(folder.path()).told(),
              HasSubstr("6 hits, 0 misses, 0 entries refused, 0 uploads, 0 errors, 4.0 KiB read"));
  EXPECT_EQ(RemoteCounts::read(folder / "nowhere").values, RemoteCounts().values);
}

}  // namespace
}  // namespace weft::compiler
