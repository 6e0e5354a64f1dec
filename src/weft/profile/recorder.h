// Records to a file what this process does, while it runs: a thread takes the spans of base/trace.h ten times a second and
// appends them, so that a killed process leaves what was recorded. The work itself only pays for the spans.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <weft/base/diagnostics.h>
#include <weft/base/status.h>
#include <weft/base/trace.h>
#include <weft/profile/chunk.h>
#include <weft/profile/recording.h>

namespace weft::profile {

struct RecorderOptions {
  std::filesystem::path folder;
  std::string command = {};              // the recorded command, for the report
  std::uint64_t most_spans = 2'000'000;  // the number to keep; later spans are counted as dropped
};

class Recorder {
 public:
  // Makes the folder. Throws Error if it cannot be written, or if a recording is on.
  explicit Recorder(RecorderOptions options);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Ends the recording. Fails if it is incomplete, because the disk is full, for example. The
  // recorded work continues in any case.
  Status stop();

 private:
  struct Place {
    std::int32_t program = -1, op = -1;
  };

  void work();
  void write_about();
  void take(trace::Recording recorded);
  void add_kept(const std::vector<std::any>& kept);
  void add_events();
  void write_strings();
  std::uint32_t string_of(const char* text);
  void write_end();
  template <class Body>
  void guarded(Body&& body);  // after the first failure, nothing more is written

  RecorderOptions options_;
  ChunkWriter writer_;
  nlohmann::json about_;
  double span_ns_ = 0;         // cost of recording one span
  std::uint64_t work_ns_ = 0;  // CPU time of the recording thread

  std::unordered_map<const char*, std::uint32_t> string_of_;
  std::unordered_map<std::string, std::uint32_t> known_strings_;
  std::vector<std::string> new_strings_;
  std::unordered_map<const char*, Place> place_of_;  // by the names of programs and thunks, which are kept alive
  std::vector<std::any> kept_;
  std::int32_t programs_ = 0;
  std::size_t threads_ = 0;
  std::uint64_t spans_ = 0, events_written_ = 0, dropped_ = 0;

  std::mutex mutex_;  // guards the members up to stopped_
  std::condition_variable stop_now_;
  std::deque<diagnostics::Event> events_;
  std::uint64_t events_dropped_ = 0;
  Status status_;
  bool stopping_ = false, stopped_ = false;

  diagnostics::Sink sink_;
  std::thread thread_;
};

}  // namespace weft::profile
