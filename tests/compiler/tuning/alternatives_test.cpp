// Every alternative of a product gives the same result as the standard one, and is offered where it makes sense.
#include <weft/compiler/tuning/alternatives.h>

#include <tests/compiler/run.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/verify.h>

namespace weft::compiler {
namespace {

using Dims = std::vector<std::int64_t>;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

struct Product {
  std::vector<Dim> lhs, rhs;
  Dims batching, lhs_contracting, rhs_contracting;
  DType dtype = DType::f32;

  std::shared_ptr<const ir::Graph> graph() const {
    return ir::make_graph(
        std::vector{Type(dtype, lhs), Type(dtype, rhs)}, [&](ir::Graph&, std::span<const ir::Value> in) {
          return std::vector{ir::dot_general(in[0], in[1], {batching, batching, lhs_contracting, rhs_contracting})};
        });
  }
};

std::vector<Alternative> alternatives(const Product& product, Tuning tuning = Tuning::all) {
  const auto graph = product.graph();
  return alternatives_of_product(*graph->outputs()[0].node, false, tuning);
}

TEST(Ways, AllGiveTheSameProduct) {
  const test::Threads threads(2);
  for (const Product& product :
       {Product{{30, 2048}, {2048, 31}, {}, {1}, {0}}, Product{{2048, 30}, {31, 2048}, {}, {0}, {1}},
        Product{{2048, 48}, {2048, 31}, {}, {0}, {0}}, Product{{3, 29, 60}, {3, 45, 60}, {0}, {2}, {2}},
        Product{{2, 30, 47}, {47, 31}, {}, {2}, {0}}}) {
    const auto graph = product.graph();
    std::vector<ir::Array> inputs;
    for (const ir::Value v : graph->inputs()) {
      inputs.emplace_back(v.type());
      float x = 0.1F;
      for (float& element : inputs.back().data<float>()) element = x = x > 0.4F ? -0.37F : x + 0.013F;
    }
    const auto want = ir::interpret(*graph, inputs);
    for (const Alternative alternative : alternatives(product)) {
      const auto changed = apply(*graph, [&](const ir::Node&) { return alternative; });
      ir::verify(*changed);
      const auto check = [&](const std::vector<ir::Array>& got) {
        ASSERT_EQ(got[0].type(), want[0].type()) << name(alternative);
        for (std::size_t i = 0; i < want[0].data<float>().size(); ++i)
          ASSERT_NEAR(got[0].data<float>()[i], want[0].data<float>()[i], 1e-3) << name(alternative) << ' ' << i;
      };
      check(ir::interpret(*changed, inputs));
      check(test::run_compiled(*changed, inputs));
    }
  }
}

TEST(Ways, AreOfferedWhereTheyMakeSense) {
  const test::Threads threads(2);
  const Product uneven{{30, 64}, {64, 30}, {}, {1}, {0}}, even{{32, 64}, {64, 32}, {}, {1}, {0}};
  EXPECT_THAT(alternatives(uneven), Contains(Alternative::padded));
  EXPECT_THAT(alternatives(even), Not(Contains(Alternative::padded)));
  EXPECT_THAT(alternatives({{17, 64}, {64, 17}, {}, {1}, {0}}), Not(Contains(Alternative::padded)))
      << "there would be nearly as many zeros as numbers";
  EXPECT_THAT(alternatives({{30, 32}, {32, 32}, {}, {1}, {0}, DType::bf16}), Contains(Alternative::padded));
  EXPECT_THAT(alternatives({{64, 32}, {32, 56}, {}, {1}, {0}, DType::bf16}), Contains(Alternative::padded))
      << "a vector has 32 elements";
  EXPECT_THAT(alternatives({{64, 32}, {32, 64}, {}, {1}, {0}, DType::bf16}), Not(Contains(Alternative::padded)));
  EXPECT_THAT(alternatives(uneven, Tuning::padding), ElementsAre(Alternative::standard, Alternative::padded));
  EXPECT_THAT(alternatives(uneven, Tuning::none), ElementsAre(Alternative::standard));

  EXPECT_THAT(alternatives({{32, 2048}, {2048, 32}, {}, {1}, {0}}), Contains(Alternative::split));
  EXPECT_THAT(alternatives({{32, 2049}, {2049, 32}, {}, {1}, {0}}), Not(Contains(Alternative::split)))
      << "the sum has no equal parts";
  EXPECT_THAT(alternatives({{512, 2048}, {2048, 512}, {}, {1}, {0}}), Not(Contains(Alternative::split)))
      << "the product has enough results for all threads";
  EXPECT_THAT(alternatives({{32, 2048}, {2048, 32}, {}, {1}, {0}, DType::bf16}), Not(Contains(Alternative::split)))
      << "partial sums are rounded";
}

}  // namespace
}  // namespace weft::compiler
