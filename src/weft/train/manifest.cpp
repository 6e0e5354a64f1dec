#include <weft/train/manifest.h>

#include <algorithm>
#include <span>

#include <nlohmann/json.hpp>

#include <weft/base/digest.h>
#include <weft/base/error.h>
#include <weft/base/json.h>
#include <weft/base/version.h>

namespace weft::train {

namespace {

using nlohmann::json;

constexpr int format_version = 1;

std::string digest_of(const json& manifest) { return hex_digest(print_json(manifest)); }

json to_json(const Setting& setting) {
  return std::visit([](const auto& value) { return json(value); }, setting);
}

Setting setting_from(const JsonValue& value) {
  if (value.value().is_boolean()) return value.boolean();
  if (value.value().is_number_float()) return value.number();
  if (value.value().is_number_integer()) return value.integer<std::int64_t>();
  return value.text();
}

// Removes the digest and compares it with that of the rest.
void check_digest(json& root) {
  require(root.is_object() && root.value("format", json()) == "weft checkpoint",
          "it is not the manifest of a checkpoint");
  const JsonValue manifest(root, "the manifest");
  require(manifest.at("version").value() == format_version, "its format has version ",
          print_json(manifest.at("version").value()), ", this weft reads version ", format_version);
  const std::string digest = manifest.at("xxh128").text();
  root.erase("xxh128");
  require(digest == digest_of(root), "it is damaged: its digest does not match");
}

}  // namespace

std::string part_file_name(std::string_view part, std::int64_t step, std::string_view digest) {
  return concat(part, "-", step, "-", digest.substr(0, 16), ".safetensors");
}

bool is_part_file_name(const std::string& name) {
  const auto is = [](const char* kind) {
    return [kind](char c) { return std::string_view(kind).find(c) != std::string_view::npos; };
  };
  const std::string_view text = name;
  const std::size_t first = text.find('-'), second = text.find('-', first + 1);
  if (second == text.npos || first == 0 || second == first + 1) return false;
  return std::ranges::all_of(text.substr(0, first), is("abcdefghijklmnopqrstuvwxyz")) &&
         std::ranges::all_of(text.substr(first + 1, second - first - 1), is("0123456789")) &&
         std::ranges::all_of(text.substr(second + 1, 16), is("0123456789abcdef")) &&
         text.substr(second + 1).size() > 16 && text.substr(second + 17) == ".safetensors";
}

std::string print_manifest(const Manifest& manifest) {
  json config = json::object(), files = json::object();
  for (const auto& [name, setting] : manifest.config) config[name] = to_json(setting);
  for (const auto& [part, file] : manifest.files)
    files[part] = {{"name", file.name}, {"bytes", file.bytes}, {"xxh128", file.digest}};
  json text = {{"format", "weft checkpoint"}, {"version", format_version}, {"weft", version()},
               {"step", manifest.step},       {"config", config},          {"files", files}};
  text["xxh128"] = digest_of(text);  // digest of all other fields
  return print_json(text, 2) + "\n";
}

Manifest parse_manifest(const std::string& text) {
  json root = parse_json(text);
  check_digest(root);
  const JsonValue from(root, "the manifest");
  Manifest manifest;
  from.at("step").read(manifest.step);
  for (const auto& [name, value] : from.at("config").members()) manifest.config[name] = setting_from(value);
  for (const auto& [part, file] : from.at("files").members()) {
    ManifestFile& entry = manifest.files[part];
    file.at("name").read(entry.name);
    file.at("bytes").read(entry.bytes);
    file.at("xxh128").read(entry.digest);
    require(is_part_file_name(entry.name), "it names the file ", entry.name);
  }
  return manifest;
}

}  // namespace weft::train
