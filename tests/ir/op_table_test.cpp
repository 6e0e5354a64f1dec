// The op table as a whole.
#include <set>

#include <gtest/gtest.h>

#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

TEST(OpTable, HoldsEveryOpOnceSortedByName) {
  EXPECT_EQ(all_ops().size(), ops::table.size());
  std::set<std::string_view> names;
  std::string_view previous;
  for (const Op* op : all_ops()) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name << " stands twice";
    EXPECT_LT(previous, op->name);
    previous = op->name;
  }
}

TEST(OpTable, FindsOpsByName) {
  for (const Op* op : ops::table) EXPECT_EQ(find_op(op->name), op);
  EXPECT_EQ(find_op("if"), &ops::if_);
  EXPECT_EQ(find_op("no_such_op"), nullptr);
  EXPECT_EQ(find_op(""), nullptr);
}

}  // namespace
}  // namespace weft::ir
