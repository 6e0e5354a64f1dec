#include <weft/train/summary_writer.h>

#include <array>
#include <atomic>
#include <utility>

#include <unistd.h>

#include <weft/base/crc32c.h>
#include <weft/base/error.h>
#include <weft/train/event.pb.h>

namespace weft::train {

namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "host";
}

// Returns the name that TensorBoard expects; files of one process differ in their last number.
std::string file_name() {
  static std::atomic<int> count = 0;
  return concat("events.out.tfevents.", static_cast<std::int64_t>(seconds_since_1970()), '.', host_name(), '.',
                ::getpid(), '.', count++);
}

std::string little_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xff);
  return text;
}

// A CRC of bytes that contain CRCs would be weak, so TFRecord masks them.
std::string masked_crc(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return little_endian(((crc >> 15) | (crc << 17)) + 0xa282ead8u, 4);
}

events::Event event(const std::string& tag, std::int64_t step, double wall_time) {
  events::Event made;
  made.set_wall_time(wall_time);
  made.set_step(step);
  made.mutable_summary()->add_value()->set_tag(tag);
  return made;
}

}  // namespace

SummaryWriter::SummaryWriter(const std::filesystem::path& folder)
    : path_(folder / file_name()), flushed_(std::chrono::steady_clock::now()) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  require(!error, folder.string(), ": cannot be made: ", error.message());
  file_.open(path_, std::ios::binary);
  events::Event first;
  first.set_wall_time(seconds_since_1970());
  first.set_file_version("brain.Event:2");
  write_record(first.SerializeAsString());
  file_.flush();
}

SummaryWriter::~SummaryWriter() {
  try {
    flush();
  } catch (const Error&) {  // a destructor cannot report it; flush() can
  }
}

void SummaryWriter::add_scalar(const std::string& tag, double value, std::int64_t step) {
  add({tag, value, step, seconds_since_1970()});
}

void SummaryWriter::add_scalar(const std::string& tag, const Tensor& value, std::int64_t step) {
  require(value.elements() == 1, "add_scalar: expected one number for ", tag, ", got ", value.type());
  add({tag, value.item_async<double>(), step, seconds_since_1970()});
}

void SummaryWriter::add_text(const std::string& tag, const std::string& text, std::int64_t step) {
  events::Event made = event(tag, step, seconds_since_1970());
  events::Summary::Value& value = *made.mutable_summary()->mutable_value(0);
  value.mutable_metadata()->mutable_plugin_data()->set_plugin_name("text");
  constexpr int strings = 7;
  value.mutable_tensor()->set_dtype(strings);
  value.mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(1);
  value.mutable_tensor()->add_string_val(text);
  const std::scoped_lock lock(mutex_);
  write_record(made.SerializeAsString());
}

void SummaryWriter::add(Scalar scalar) {
  const std::scoped_lock lock(mutex_);
  pending_.push_back(std::move(scalar));
  write_ready(false);
  const auto now = std::chrono::steady_clock::now();
  if (now - flushed_ < std::chrono::minutes(2)) return;
  flushed_ = now;
  file_.flush();
}

void SummaryWriter::flush() {
  const std::scoped_lock lock(mutex_);
  write_ready(true);
  file_.flush();
  require(file_.good(), path_.string(), ": cannot be written");
}

void SummaryWriter::write_ready(bool wait) {
  while (!pending_.empty()) {
    const auto* future = std::get_if<Future<double>>(&pending_.front().value);
    if (future != nullptr && !wait && !future->ready()) return;
    const Scalar scalar = std::move(pending_.front());
    pending_.pop_front();
    future = std::get_if<Future<double>>(&scalar.value);
    events::Event made = event(scalar.tag, scalar.step, scalar.wall_time);
    const double value = future != nullptr ? future->get() : std::get<double>(scalar.value);
    made.mutable_summary()->mutable_value(0)->set_simple_value(static_cast<float>(value));
    write_record(made.SerializeAsString());
  }
}

void SummaryWriter::write_record(const std::string& message) {
  const std::string length = little_endian(message.size(), 8);
  file_ << length << masked_crc(length) << message << masked_crc(message);
  require(file_.good(), path_.string(), ": cannot be written");
}

}  // namespace weft::train
