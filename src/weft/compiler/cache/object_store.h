// Objects of a service that speaks S3's protocol, below one URL. Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace weft::compiler {

// A place in a store: s3://BUCKET or s3://BUCKET/PREFIX.
struct ObjectStorePlace {
  std::string bucket, prefix;  // the prefix with its leading slash and none at the end

  static ObjectStorePlace parse(const std::string& url);  // throws Error for a URL of another form
};

struct ObjectStoreSettings {
  std::string
      objects;  // the URL of an object is this, a slash and the object's name: https://kernels.s3.eu-west-1.amazonaws.com/weft
  std::string bucket, region, access_key, secret_key, session_token;

  // Reads the variables that the tools of AWS read: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION or
  // AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL. Throws Error for a value that makes no sense, and if there are no
  // credentials.
  static ObjectStoreSettings read(const ObjectStorePlace& place);
};

struct ObjectAnswer {
  enum class Kind {
    done,
    missing,     // there is no such object
    transient,   // the same request may succeed later
    too_late,    // not within the given time
    impossible,  // the same request fails again
  };
  Kind kind = Kind::done;
  std::string body = {};  // of the object
  // Of the failure. An empty remedy: there is nothing that the user could do.
  std::string reason = {}, remedy = {};
};

class ObjectStore {
 public:
  // Throws Error if weft was built without libcurl, by which requests are signed and sent.
  static std::unique_ptr<ObjectStore> open(const ObjectStoreSettings& settings);
  virtual ~ObjectStore() = default;

  // Reads an object of at most `most_bytes` bytes.
  virtual ObjectAnswer get(const std::string& name, std::size_t most_bytes, std::chrono::nanoseconds time) = 0;
  // Writes an object. A request to stop ends it at once.
  virtual ObjectAnswer put(const std::string& name, std::string_view bytes, std::chrono::nanoseconds time,
                           const std::stop_token& stop) = 0;
};

}  // namespace weft::compiler
