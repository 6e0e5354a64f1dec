// The settings that, together with the data, determine the results of a training run of a ranking model; a resumed run
// must have the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <apps/ranking/criteo.h>
#include <weft/train/pipeline.h>
#include <weft/train/recipe.h>

namespace weft::ranking {

struct RankingConfig : train::Recipe {
  RankingConfig() {
    batch = 2048;
    lr = 3e-3;
    weight_decay = 0;
  }

  std::string rows = "50000";
  std::int64_t width = 16;
  double load_factor = 1;
  std::string bottom = "64,32", top = "64,32";
  double table_lr = 2;
  std::string step_schedule = "exact";
  std::int64_t held_out = 1, days = 5, day_samples = 1'000'000;

  // The only list of the fields; settings, flags and comparisons are derived from it.
  static void fields(auto& self, auto&& field) {
    field("rows", self.rows, "rows of each table, or 26 numbers with commas; an id looks up the row id % rows");
    field("width", self.width, "columns of each table");
    field("load_factor", self.load_factor,
          "share of the tables' rows that memory holds; the others are in --table-folder");
    field("bottom", self.bottom, "widths of the hidden layers between the numbers and a vector of --width");
    field("top", self.top, "widths of the hidden layers between the products of vectors and the logit");
    train::Recipe::fields(self, field);
    field("table_lr", self.table_lr, "peak of the tables' learning rate, of row-wise Adagrad");
    field("schedule", self.step_schedule,
          "what is done beside the step before: base, sparse_dist, fused_sparse_dist, prefetch, exact or semi_sync");
    field("held_out", self.held_out, "how many days, the last ones, are for evaluation");
    field("days", self.days, "days of generated data");
    field("day_samples", self.day_samples, "samples of a generated day");
  }

  // Throws Error, which starts with the field's name, for invalid values.
  void check() const;

  bool has_stored_tables() const { return load_factor < 1; }  // in files
  std::vector<std::int64_t> table_rows() const;               // of each table
  std::vector<std::int64_t> bottom_widths() const;
  std::vector<std::int64_t> top_widths() const;
};

// Throws Error for an unknown name.
train::Schedule schedule_named(std::string_view name);

// The config and the number of steps of a run without flags.
struct RankingPreset {
  RankingConfig config;
  std::int64_t steps;
};

}  // namespace weft::ranking
