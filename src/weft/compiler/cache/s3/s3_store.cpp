#include <weft/compiler/cache/s3/s3_store.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstring>
#include <ctime>
#include <curl/curl.h>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <openssl/sha.h>

#include <weft/base/error.h>

namespace weft::compiler {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = ObjectAnswer::Kind;

// OpenSSL writes to sockets without MSG_NOSIGNAL, so the end of a connection would end the process. What libcurl does against it changes
// the signal's handler for all threads.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) != 0;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    constexpr timespec at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

std::string sha256_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::string text;
  for (const unsigned char byte : digest) text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

// Returns the text of an element of the XML that services answer errors with, shortened, and without bytes that a terminal would obey.
std::string element(std::string_view xml, std::string_view name) {
  constexpr std::size_t longest = 200;
  const std::string begin = concat('<', name, '>');
  auto at = xml.find(begin);
  if (at == xml.npos) return "";
  at += begin.size();
  std::string text(xml.substr(at, std::min(xml.find('<', at) - at, longest)));
  std::ranges::replace_if(text, [](char c) { return !std::isprint(static_cast<unsigned char>(c)); }, ' ');
  return text;
}

struct ObjectRequest {
  const std::string& name;
  std::size_t most_bytes;                // of the answer
  std::optional<std::string_view> body;  // of an object to write
  Clock::time_point end;
};

// One request at a time. The connection to the service stays open for the next request.
class Connection {
 public:
  Connection() : multi_(curl_multi_init()), easy_(curl_easy_init()) {
    WEFT_ASSERT(multi_ && easy_, "libcurl does not start");
  }

  ObjectAnswer perform(const ObjectStoreSettings& settings, const ObjectRequest& request, const std::stop_token& stop) {
    received_.clear();
    is_too_large_ = false;
    most_bytes_ = request.most_bytes;
    rest_ = body_ = request.body.value_or("");
    const auto headers = set_up(settings, request);
    const std::optional<CURLcode> ended = wait(request.end, stop);
    if (!ended) return {.kind = Kind::too_late, .reason = "its answers take too long"};
    return answer(settings, *ended);
  }

 private:
  template <auto free>
  struct FreeWith {
    void operator()(auto* handle) const { free(handle); }
  };
  using List = std::unique_ptr<curl_slist, FreeWith<curl_slist_free_all>>;

  // Returns the headers, which libcurl uses until the request has ended.
  List set_up(const ObjectStoreSettings& settings, const ObjectRequest& request) {
    CURL* const easy = easy_.get();
    curl_easy_reset(easy);
    curl_easy_setopt(easy, CURLOPT_URL, concat(settings.objects, '/', request.name).c_str());
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT,
                     1L);  // otherwise a name server that does not answer would hold the process
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_.data());
    error_[0] = '\0';
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, concat("aws:amz:", settings.region, ":s3").c_str());
    curl_easy_setopt(easy, CURLOPT_USERNAME, settings.access_key.c_str());
    curl_easy_setopt(easy, CURLOPT_PASSWORD, settings.secret_key.c_str());
    if (!request.body) curl_easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request.most_bytes));
    List headers;
    const auto add = [&](const std::string& header) {
      curl_slist* const longer = curl_slist_append(headers.get(), header.c_str());
      WEFT_ASSERT(longer != nullptr, "libcurl has no memory for a header");
      std::ignore = headers.release();
      headers.reset(longer);
    };
    add(concat("x-amz-content-sha256: ", sha256_of(body_)));
    if (!settings.session_token.empty()) add(concat("x-amz-security-token: ", settings.session_token));
    if (request.body) {
      add("Content-Type: application/octet-stream");
      curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
      curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(body_.size()));
      curl_easy_setopt(easy, CURLOPT_READFUNCTION, &send);
      curl_easy_setopt(easy, CURLOPT_READDATA, this);
      curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &rewind);
      curl_easy_setopt(easy, CURLOPT_SEEKDATA, this);
    }
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
    return headers;
  }

  // Returns how the request ended; nullopt if it did not end in time.
  std::optional<CURLcode> wait(Clock::time_point end, const std::stop_token& stop) {
    const NoBrokenPipe no_broken_pipe;
    curl_multi_add_handle(multi_.get(), easy_.get());
    const std::stop_callback wake(stop, [this] { curl_multi_wakeup(multi_.get()); });
    for (int running = 1;;) {
      curl_multi_perform(multi_.get(), &running);
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
      if (running == 0 || left.count() <= 0 || stop.stop_requested()) break;
      curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)),
                      nullptr);
    }
    std::optional<CURLcode> ended;
    int others = 0;
    if (const CURLMsg* message = curl_multi_info_read(multi_.get(), &others)) ended = message->data.result;
    curl_multi_remove_handle(multi_.get(), easy_.get());
    return ended;
  }

  ObjectAnswer answer(const ObjectStoreSettings& settings, CURLcode ended) {
    if (is_too_large_ || ended == CURLE_FILESIZE_EXCEEDED)
      return {.kind = Kind::missing, .reason = concat("the entry there has more than ", most_bytes_, " bytes")};
    if (ended != CURLE_OK) {
      const std::string_view known = error_[0] != '\0' ? error_.data() : curl_easy_strerror(ended);
      return {.kind = Kind::transient,
              .reason = concat("it cannot be reached: ", known),
              .remedy = "check AWS_ENDPOINT_URL and the network"};
    }
    const long status = status_now();
    return is_success(status) ? ObjectAnswer{.body = std::move(received_)} : refusal(settings, status);
  }

  ObjectAnswer refusal(const ObjectStoreSettings& settings, long status) {
    const std::string code = element(received_, "Code"), message = element(received_, "Message");
    if (status == 404 && code != "NoSuchBucket") return {.kind = Kind::missing, .reason = "it has no such entry"};
    ObjectAnswer refused{
        .kind = status >= 500 || status == 429 ? Kind::transient : Kind::impossible,
        .reason = concat("it answered ", status, code.empty() ? "" : " ", code, message.empty() ? "" : ": ", message)};
    curl_header* region = nullptr;
    curl_easy_header(easy_.get(), "x-amz-bucket-region", 0, CURLH_HEADER, -1, &region);
    if (status == 404) {
      refused.remedy = concat("create the bucket ", settings.bucket, ", or name another one in WEFT_CACHE_URL");
    } else if (region && region->value != settings.region) {
      refused.remedy =
          concat("set AWS_REGION to the region of the bucket, ", element(concat("<r>", region->value, "<"), "r"));
    } else if (refused.kind == Kind::impossible) {
      refused.remedy = concat(
          "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION; they must allow "
          "s3:GetObject, s3:PutObject and s3:ListBucket on ",
          settings.bucket);
    }
    return refused;
  }

  static bool is_success(long status) { return status / 100 == 2; }
  long status_now() const {
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  static std::size_t receive(const char* bytes, std::size_t, std::size_t count, void* to) {
    constexpr std::size_t longest_refusal = 64 << 10;
    auto& self = *static_cast<Connection*>(to);
    const bool is_object = is_success(self.status_now());
    if (count > (is_object ? self.most_bytes_ : longest_refusal) - self.received_.size()) {
      self.is_too_large_ = is_object;
      return is_object ? 0 : count;  // the beginning of a refusal is enough
    }
    self.received_.append(bytes, count);
    return count;
  }

  static std::size_t send(char* to, std::size_t, std::size_t room, void* from) {
    auto& rest = static_cast<Connection*>(from)->rest_;
    const std::string_view piece = rest.substr(0, room);
    std::memcpy(to, piece.data(), piece.size());
    rest.remove_prefix(piece.size());
    return piece.size();
  }

  // A connection that was closed while it was idle is opened again, and the body sent from its beginning.
  static int rewind(void* from, curl_off_t to, int) {
    auto& self = *static_cast<Connection*>(from);
    self.rest_ = self.body_.substr(std::min<std::size_t>(to, self.body_.size()));
    return CURL_SEEKFUNC_OK;
  }

  std::unique_ptr<CURLM, FreeWith<curl_multi_cleanup>> multi_;  // holds the connections
  std::unique_ptr<CURL, FreeWith<curl_easy_cleanup>> easy_;     // the request
  std::array<char, CURL_ERROR_SIZE> error_{};
  std::string received_;
  std::size_t most_bytes_ = 0;
  bool is_too_large_ = false;
  std::string_view body_, rest_;
};

class S3Store final : public ObjectStore {
 public:
  explicit S3Store(ObjectStoreSettings settings) : settings_(std::move(settings)) {
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    require(started == CURLE_OK, "libcurl does not start: ", curl_easy_strerror(started));
  }

  ObjectAnswer get(const std::string& name, std::size_t most_bytes, std::chrono::nanoseconds time) override {
    return perform({name, most_bytes, std::nullopt, Clock::now() + time}, {});
  }
  ObjectAnswer put(const std::string& name, std::string_view bytes, std::chrono::nanoseconds time,
                   const std::stop_token& stop) override {
    return perform({name, 0, bytes, Clock::now() + time}, stop);
  }

 private:
  ObjectAnswer perform(const ObjectRequest& request, const std::stop_token& stop) {
    std::unique_ptr<Connection> connection = take();
    ObjectAnswer answer = connection->perform(settings_, request, stop);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
    return answer;
  }

  std::unique_ptr<Connection> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Connection>();
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }

  const ObjectStoreSettings settings_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace

}  // namespace weft::compiler

weft::compiler::ObjectStore* weft_make_s3_store(const weft::compiler::ObjectStoreSettings& settings) {
  return new weft::compiler::S3Store(settings);
}
