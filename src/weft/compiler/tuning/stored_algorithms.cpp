#include <weft/compiler/tuning/stored_algorithms.h>

#include <weft/compiler/tuning/trials.h>

namespace weft::compiler {

namespace {

class StoredAlgorithms final : public AlgorithmChoices {
 public:
  using Kept = AlgorithmChoices::Choice;

  std::optional<Kept> find(const std::string& key) override {
    const auto known = known_choice(key);
    return known ? std::optional(Kept{known->name, known->told}) : std::nullopt;
  }
  Kept keep(const std::string& key, const Kept& choice, std::chrono::nanoseconds measured_in,
            const std::function<bool(const Kept&)>& accepts) override {
    const auto kept = keep_choice(key, {.name = choice.algorithm, .told = choice.told}, measured_in,
                                  [&](const compiler::Choice& other) { return accepts({other.name, other.told}); });
    return {kept.name, kept.told};
  }
};

}  // namespace

AlgorithmChoices& stored_algorithms() {
  static auto* const choices = new StoredAlgorithms;
  return *choices;
}

}  // namespace weft::compiler
