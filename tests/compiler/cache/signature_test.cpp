#include <weft/compiler/cache/signature.h>

#include <latch>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/base/temporary_folder.h>

namespace weft::compiler {
namespace {

TEST(Signature, ThreadsThatMakeTheKeyTogetherShareIt) {
  constexpr int threads = 8;
  for (int repetition = 0; repetition < 20; ++repetition) {
    const TemporaryFolder folder;
    const knobs::Override<knobs::Text> key{knobs::key_file, (folder / "key").string()};
    std::latch start(threads);
    std::vector<std::string> keys(threads);
    {
      std::vector<std::jthread> makers;
      for (std::string& found : keys)
        makers.emplace_back([&] {
          start.arrive_and_wait();
          found = own_public_key();
        });
    }
    EXPECT_EQ(std::set(keys.begin(), keys.end()), std::set{keys[0]});
  }
}

}  // namespace
}  // namespace weft::compiler
