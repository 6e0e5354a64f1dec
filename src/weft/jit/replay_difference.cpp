// Compares a replay with the call that was recorded in its place.
#include <algorithm>
#include <utility>

#include <weft/jit/difference.h>

namespace weft::jit {

namespace {

const char* const hold_what_decides = ": pass what decides it as an argument, or hold it in a weft::Flag or Scalar";

std::string at(const ir::Location& location) {
  const std::string place = place_text(location);
  return place.empty() ? "" : " at " + place;
}

// Names a tensor that a replay returns by the place where it is computed, because results of a program have no other
// name.
std::string name_of(const Specialization& s, const Place& place, const ir::Location& made_at) {
  if (place.kind == Place::Kind::result) return concat("the value made", at(made_at));
  if (place.kind != Place::Kind::parameter) return s.name_of(place);
  for (std::size_t i = 0; i < s.arguments.size(); ++i)
    if (s.arguments[i].at == place.parameter) return concat("argument ", s.paths[i]);
  for (std::size_t i = 0; i < s.inputs.size(); ++i)
    if (s.inputs[i].parameter == place.parameter) return concat("the parameter first used", at(s.first_uses[i]));
  return "a parameter";
}

bool same(const Place& a, const Place& b) {
  return a.kind == b.kind && a.index == b.index && a.parameter == b.parameter && a.is_copy == b.is_copy &&
         (a.kind != Place::Kind::constant || a.constant.buffer() == b.constant.buffer());
}

const Number* made_anew(const Specialization& s, std::size_t immediate) {
  const auto found = std::ranges::find(s.numbers, immediate, &Number::index);
  return found == s.numbers.end() ? nullptr : &*found;
}

bool same(const Number& a, const Number& b) {
  return a.leaf == b.leaf && (a.leaf >= 0 || a.scalar == b.scalar) && a.generator == b.generator && a.draw == b.draw;
}

std::string difference_of_inputs(const Specialization& known, const Specialization& recorded) {
  std::size_t immediate = 0;
  for (std::size_t i = 0; i < known.inputs.size(); ++i) {
    const Place &before = known.inputs[i], &now = recorded.inputs[i];
    const std::string use = at(known.first_uses[i]);
    if (before.kind == Place::Kind::constant && now.kind == before.kind && !same(before, now))
      return concat("the captured tensor used", use, " has changed: pass it as an argument or hold it in a Parameter");
    if (!same(before, now))
      return concat("an input used", use, " now has a different source: it is ", name_of(recorded, now, {}),
                    " instead of ", name_of(known, before, {}), hold_what_decides);
    if (before.kind != Place::Kind::number) continue;
    const Number *was = made_anew(known, immediate), *is = made_anew(recorded, immediate);
    if (!was && !is && known.immediates[immediate] != recorded.immediates[immediate])
      return concat("the number used", use, " has changed: hold it in a weft::Scalar or pass it as one");
    if (bool(was) != bool(is) || (was && !same(*was, *is)))
      return concat("the number used", use, " now has a different source, such as another Scalar", hold_what_decides);
    ++immediate;
  }
  const auto same_draws = [](const Draws& a, const Draws& b) {
    return a.generator == b.generator && a.count == b.count;
  };
  if (!std::ranges::equal(known.draws, recorded.draws, same_draws))
    return concat("random numbers now come from a different generator, or their number has changed", hold_what_decides);
  return {};
}

std::string difference_of_results(const Specialization& known, const Specialization& recorded) {
  if (known.results.size() != recorded.results.size())
    return concat("the function returns ", recorded.results.size(), " tensors now instead of ", known.results.size(),
                  hold_what_decides);
  for (std::size_t i = 0; i < known.results.size(); ++i)
    if (!same(known.results[i], recorded.results[i]))
      return concat("result ", i, " is ", name_of(recorded, recorded.results[i], recorded.made_at[i]),
                    " now instead of ", name_of(known, known.results[i], known.made_at[i]), hold_what_decides);
  const auto &before = known.prototype.leaves, &now = recorded.prototype.leaves;
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i)
    if (!now[i].same_signature(before[i]))
      return concat("the function returns ", describe(now[i]), " instead of ", describe(before[i]), hold_what_decides);
  return {};
}

std::string difference_of_updates(const Specialization& known, const Specialization& recorded) {
  for (std::size_t i = 0; i < recorded.updates.size(); ++i) {
    const auto& [place, parameter] = recorded.updates[i];
    const auto before = std::ranges::find(known.updates, parameter, &std::pair<Place, Parameter*>::second);
    if (before != known.updates.end() && same(before->first, place)) continue;
    const ir::Location& made_at = recorded.made_at[recorded.results.size() + i];
    const std::string value = name_of(recorded, place, made_at);
    if (before == known.updates.end())
      return concat("a different parameter is assigned ", value, " as its new value", hold_what_decides);
    const std::size_t k = before - known.updates.begin() + known.results.size();
    return concat("the new value of a parameter is ", value, " now instead of ",
                  name_of(known, before->first, known.made_at[k]), hold_what_decides);
  }
  if (known.updates.size() == recorded.updates.size()) return {};
  return concat("of the ", known.updates.size(), " parameters that a replay updates only ", recorded.updates.size(),
                " are updated now", hold_what_decides);
}

}  // namespace

std::string difference_of_replay(const Specialization& known, const Specialization& recorded) {
  if (!recorded.rerecorded_because.empty()) return recorded.rerecorded_because;
  const char* const other_operations = "the function recorded different operations";
  if (known.operations != recorded.operations) return other_operations;
  for (const auto compare : {difference_of_inputs, difference_of_results, difference_of_updates})
    if (std::string difference = compare(known, recorded); !difference.empty()) return difference;
  return known.outputs == recorded.outputs ? "" : other_operations;
}

}  // namespace weft::jit
