#include <weft/tensor/name_patterns.h>

#include <fnmatch.h>

namespace weft {

std::vector<std::optional<std::size_t>> first_matches(const std::vector<NamedParameter>& parameters,
                                                      const std::vector<std::string>& patterns, const char* function) {
  std::vector<std::string> shadowed(patterns.size());  // a parameter that a pattern matches, but an earlier one, too
  std::vector<bool> counts(patterns.size());
  std::vector<std::optional<std::size_t>> matches;
  for (const NamedParameter& named : parameters) {
    std::optional<std::size_t>& first = matches.emplace_back();
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (fnmatch(patterns[i].c_str(), named.name.c_str(), 0) != 0) continue;
      if (first) {
        shadowed[i] = concat(named.name, " by ", patterns[*first]);
      } else {
        first = i;
        counts[i] = true;
      }
    }
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    require(counts[i] || !shadowed[i].empty(), function, ": no parameter's name matches ", patterns[i]);
    require(counts[i], function, ": every parameter that matches ", patterns[i],
            " is matched by an earlier pattern, such as ", shadowed[i]);
  }
  return matches;
}

}  // namespace weft
