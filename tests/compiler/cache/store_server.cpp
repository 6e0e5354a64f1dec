#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>

#include <sys/socket.h>
#include <unistd.h>

#include <weft/base/error.h>

#include "store_server.h"

namespace weft::compiler {

namespace {

// Appends the bytes that have come; returns false at the end of the connection.
bool read_more(int connection, std::string& text, std::size_t most) {
  std::string piece(most, '\0');
  const ssize_t got = ::recv(connection, piece.data(), piece.size(), 0);
  if (got <= 0) return false;
  text.append(piece, 0, got);
  return true;
}

std::optional<StoreRequest> read_request(int connection) {
  constexpr std::size_t piece = 1 << 16;
  constexpr std::string_view end_of_head = "\r\n\r\n";
  std::string text;
  while (text.find(end_of_head) == text.npos)
    if (!read_more(connection, text, piece)) return std::nullopt;
  const auto head_size = text.find(end_of_head) + end_of_head.size();
  const std::string head = text.substr(0, head_size);
  const auto field = [&](const std::string& name) {
    const auto at = head.find("\r\n" + name + ": ");
    return at == head.npos ? "" : head.substr(at + name.size() + 4, head.find("\r\n", at + 2) - at - name.size() - 4);
  };
  if (!field("Expect").empty()) ::send(connection, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL);
  const std::size_t size = std::strtoul(field("Content-Length").c_str(), nullptr, 10);
  while (text.size() < head_size + size)
    if (!read_more(connection, text, piece)) return std::nullopt;
  const auto space = head.find(' ');
  return StoreRequest{head.substr(0, space), head.substr(space + 1, head.find(' ', space + 1) - space - 1),
                      text.substr(head_size)};
}

}  // namespace

std::string http_answer(int status, const std::string& body, const std::string& headers) {
  return concat("HTTP/1.1 ", status, " said\r\nConnection: close\r\n", headers, "Content-Length: ", body.size(),
                "\r\n\r\n", body);
}

StoreServer::StoreServer() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  require(::bind(listening_.number(), general, size) == 0 && ::listen(listening_.number(), 64) == 0 &&
              ::getsockname(listening_.number(), general, &size) == 0,
          "the server for the test does not start");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

StoreServer::~StoreServer() {
  ends_ = true;
  thread_.join();
}

std::string StoreServer::url() const { return concat("http://127.0.0.1:", port_); }

std::map<std::string, std::string> StoreServer::objects() const {
  const std::lock_guard lock(mutex_);
  return objects_;
}

void StoreServer::put(const std::string& path, std::string bytes) {
  const std::lock_guard lock(mutex_);
  objects_[path] = std::move(bytes);
}

void StoreServer::answer_with(Answer answer) {
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
}

void StoreServer::serve() {
  constexpr int often_ms = 10;
  while (!ends_) {
    pollfd waiting{listening_.number(), POLLIN, 0};
    if (::poll(&waiting, 1, often_ms) > 0)
      handle(Descriptor(::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC)));
  }
}

void StoreServer::handle(Descriptor connection) {
  const auto request = read_request(connection.number());
  if (!request) return;
  ++requests_;
  Answer answer;
  {
    const std::lock_guard lock(mutex_);
    answer = answer_;
  }
  auto bytes = answer ? answer(*request) : std::nullopt;
  if (!bytes) bytes = own_answer(*request);
  if (bytes->empty()) {
    unanswered_.push_back(std::move(connection));
    return;
  }
  for (std::size_t sent = 0; sent < bytes->size();) {
    const ssize_t now = ::send(connection.number(), bytes->data() + sent, bytes->size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return;
    sent += now;
  }
}

std::string StoreServer::own_answer(const StoreRequest& request) {
  const std::lock_guard lock(mutex_);
  if (request.method == "PUT") {
    objects_[request.path] = request.body;
    return http_answer(200);
  }
  const auto found = objects_.find(request.path);
  return found == objects_.end() ? http_answer(404, "<Error><Code>NoSuchKey</Code></Error>")
                                 : http_answer(200, found->second);
}

}  // namespace weft::compiler
