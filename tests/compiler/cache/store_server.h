// A small HTTP server in this process that stands for a store of objects. It answers one request per connection, and does not check
// signatures: tools/check-cache-store runs a server that does.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weft/base/file.h>

namespace weft::compiler {

struct StoreRequest {
  std::string method, path, body;
};

// Returns an answer of HTTP with this body.
std::string http_answer(int status, const std::string& body = "", const std::string& headers = "");

class StoreServer {
 public:
  StoreServer();
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  std::string url() const;  // http://127.0.0.1:PORT
  int requests() const { return requests_; }
  std::map<std::string, std::string> objects() const;
  void put(const std::string& path, std::string bytes);

  // Replaces the answers of the store from now on: the bytes of the answer, "" for one that never comes, or nullopt for the store's own.
  using Answer = std::function<std::optional<std::string>(const StoreRequest& request)>;
  void answer_with(Answer answer);

 private:
  void serve();
  void handle(Descriptor connection);
  std::string own_answer(const StoreRequest& request);

  Descriptor listening_;
  int port_ = 0;
  std::atomic<int> requests_ = 0;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> objects_;
  Answer answer_;
  std::vector<Descriptor> unanswered_;
  std::thread thread_;
};

}  // namespace weft::compiler
