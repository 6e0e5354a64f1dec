#include <weft/profile/settings.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <weft/base/error.h>
#include <weft/base/knobs.h>

namespace weft::profile {

namespace {

using nlohmann::json;

struct KnownSetting {
  std::string_view variable;
  bool slows_kernels;
  bool only_below;  // slow only if the number is below the default
  std::string_view reason;
};

constexpr std::array known_settings = {
    KnownSetting{"WEFT_SYNCHRONOUS", false, false,
                 "each launch waits for its work: the device idles while the host records the next one"},
    KnownSetting{"WEFT_BACKEND", true, false,
                 "programs are not compiled as a whole: operations run one by one, or in the interpreter"},
    KnownSetting{"WEFT_FUSE", true, false, "every operation is a kernel of its own, and writes its result to memory"},
    KnownSetting{"WEFT_STRICT", true, false,
                 "kernels give up speed for results that are the same bits in every way of running them"},
    KnownSetting{"WEFT_SHARE_CPUS", true, false, "kernels keep all their threads while other programs need the CPUs"},
    KnownSetting{"WEFT_DEBUG_NANS", true, false, "every result is searched for NaN and infinity"},
    KnownSetting{"WEFT_DISABLED_PASSES", true, false, "the compiler leaves out optimisations"},
    KnownSetting{"WEFT_HUGE_PAGES", true, false,
                 "large blocks of memory lie in small pages, which take longer to reach"},
    KnownSetting{"WEFT_VERIFY_PASSES", false, false, "the compiler checks the graph after every pass"},
    KnownSetting{"WEFT_DUMP", false, false, "the compiler writes graphs and code to files"},
    KnownSetting{"WEFT_LOGS", false, false, "log lines are written while the program runs"},
    KnownSetting{"WEFT_CACHE", false, false, "kernels are not kept on disk: every process compiles them anew"},
    KnownSetting{"WEFT_RUN_AHEAD_LAUNCHES", false, true, "the host may be fewer launches ahead of the device"},
    KnownSetting{"WEFT_RUN_AHEAD_BYTES", false, true, "launches ahead of the device may hold less memory"},
    KnownSetting{"WEFT_GRAPH_CACHE_ENTRIES", false, true, "fewer compiled programs are kept in memory"},
    KnownSetting{"WEFT_GRAPH_CACHE_BYTES", false, true, "compiled programs may take less memory"},
    KnownSetting{"WEFT_KERNEL_CACHE_BYTES", false, true, "the code of kernels may take less memory"},
    KnownSetting{"WEFT_CACHE_BYTES", false, true, "fewer kernels are kept on disk"},
};

std::optional<Loss> loss_of(std::string_view variable, std::string_view value) {
  if (variable == "WEFT_SYNCHRONOUS") return Loss::idle;
  if (variable == "WEFT_BACKEND" && value == "interpreter") return Loss::fallback;
  return std::nullopt;
}

bool is_below(const std::string& value, const std::string& usual) {
  return std::strtod(value.c_str(), nullptr) < std::strtod(usual.c_str(), nullptr);
}

}  // namespace

json settings_now() {
  json settings = json::object();
  for (const knobs::Row& row : knobs::table())
    if (row.value != row.default_value) settings[row.variable] = {row.value, row.default_value};
  return settings;
}

double about_number(const json& about, const char* key) {
  const auto found = about.is_object() ? about.find(key) : about.end();
  return found != about.end() && found->is_number() ? found->get<double>() : 0;
}

std::vector<SlowSetting> slow_settings(const json& about) {
  std::vector<SlowSetting> slow;
  const auto settings = about.is_object() ? about.find("settings") : about.end();
  for (const KnownSetting& row : known_settings) {
    if (settings == about.end() || !settings->is_object()) break;
    const auto found = settings->find(row.variable);
    const bool is_setting = found != settings->end() && found->is_array() && found->size() == 2 &&
                            found->at(0).is_string() && found->at(1).is_string();
    if (!is_setting) continue;
    const std::string value = found->at(0), usual = found->at(1);
    if (row.only_below && !is_below(value, usual)) continue;
    slow.push_back({.variable = std::string(row.variable),
                    .value = value,
                    .usual = usual,
                    .reason = std::string(row.reason),
                    .remedy = concat("unset ", row.variable),
                    .loss = loss_of(row.variable, value),
                    .slows_kernels = row.slows_kernels});
  }
  if (const double threads = about_number(about, "threads"), cpus = about_number(about, "cpus");
      threads > 0 && threads < cpus)
    slow.push_back({.variable = "threads",
                    .value = concat(threads),
                    .usual = concat(cpus),
                    .reason = concat("kernels run on ", threads, " of ", cpus, " CPUs"),
                    .remedy = "leave WEFT_NUM_THREADS and --threads unset",
                    .loss = std::nullopt});
  return slow;
}

}  // namespace weft::profile
