// weft knobs: lists the settings that environment variables control.
#include <weft/base/knobs.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <weft/base/json.h>
#include <weft/cli/command_line.h>

namespace weft::cli {

namespace {

void print_knobs_json(const std::vector<knobs::Row>& rows) {
  nlohmann::ordered_json table = nlohmann::ordered_json::object();
  for (const knobs::Row& row : rows)
    table[row.variable] = {
        {"type", row.type}, {"default", row.default_value}, {"value", row.value}, {"help", row.help}};
  std::cout << print_json(table) << std::endl;
}

void print_table(const std::vector<knobs::Row>& rows) {
  const auto width = [&](std::string knobs::Row::* field) {
    std::size_t widest = 0;
    for (const knobs::Row& row : rows) widest = std::max(widest, (row.*field).size());
    return widest;
  };
  const auto padded = [](std::string text, std::size_t to) { return text.append(to - text.size() + 2, ' '); };
  const std::size_t variable = width(&knobs::Row::variable), value = width(&knobs::Row::value);
  for (const knobs::Row& row : rows)
    std::cout << padded(row.variable, variable) << padded(row.value, value) << row.help << '\n';
}

}  // namespace

void add_knobs(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("knobs", "Show the settings from environment variables, and their values");
  const auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "print one JSON object on the standard output, and nothing else");
  command.callback([json] { *json ? print_knobs_json(knobs::table()) : print_table(knobs::table()); });
}

}  // namespace weft::cli
