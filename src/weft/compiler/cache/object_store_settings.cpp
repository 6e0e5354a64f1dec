#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include <weft/base/error.h>
#include <weft/compiler/cache/object_store.h>

namespace weft::compiler {

namespace {

constexpr std::string_view letters_and_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

// Returns the value of the first of these variables that is set and not empty.
std::string first_variable(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* value = std::getenv(name); value && *value) return value;
  return "";
}

bool consists_of(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [&](char c) {
    return letters_and_digits.find(c) != std::string_view::npos || others.find(c) != std::string_view::npos;
  });
}

std::string without_slashes(std::string text) {
  text.erase(text.find_last_not_of('/') + 1);
  return text;
}

// Services other than AWS need not have a host name for each bucket, and certificates of AWS do not cover the names of buckets with dots.
std::string url_of_bucket(const std::string& bucket, const std::string& region) {
  std::string endpoint = first_variable({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (!endpoint.empty()) {
    require(endpoint.starts_with("http://") || endpoint.starts_with("https://"),
            "AWS_ENDPOINT_URL: expected http://HOST or https://HOST, got '", endpoint, "'");
    return concat(without_slashes(std::move(endpoint)), '/', bucket);
  }
  const std::string host = concat("s3.", region, region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
  const bool has_dot = bucket.find('.') != std::string::npos;
  return has_dot ? concat("https://", host, '/', bucket) : concat("https://", bucket, '.', host);
}

}  // namespace

ObjectStorePlace ObjectStorePlace::parse(const std::string& url) {
  constexpr std::string_view scheme = "s3://";
  const bool is_s3 = url.starts_with(scheme);
  const std::string path = is_s3 ? without_slashes(url.substr(scheme.size())) : "";
  const auto slash = std::min(path.find('/'), path.size());
  ObjectStorePlace place{path.substr(0, slash), path.substr(slash)};
  // Names of other characters would have to be escaped, on which stores do not agree.
  require(
      is_s3 && !place.bucket.empty() && consists_of(path, "-._/"),
      "WEFT_CACHE_URL: expected s3://BUCKET or s3://BUCKET/PREFIX, with letters, digits, '-', '.', '_' and '/', got '",
      url, "'");
  return place;
}

ObjectStoreSettings ObjectStoreSettings::read(const ObjectStorePlace& place) {
  ObjectStoreSettings settings;
  settings.bucket = place.bucket;
  settings.region = first_variable({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (settings.region.empty()) settings.region = "us-east-1";
  require(consists_of(settings.region, "-"), "AWS_REGION: expected the name of a region, got '", settings.region, "'");
  settings.objects = url_of_bucket(settings.bucket, settings.region) + place.prefix;
  settings.access_key = first_variable({"AWS_ACCESS_KEY_ID"});
  settings.secret_key = first_variable({"AWS_SECRET_ACCESS_KEY"});
  settings.session_token = first_variable({"AWS_SESSION_TOKEN"});
  require(!settings.access_key.empty() && !settings.secret_key.empty(),
          "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  return settings;
}

}  // namespace weft::compiler
