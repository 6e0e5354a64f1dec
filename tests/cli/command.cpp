#include <tests/cli/command.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <linux/capability.h>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::cli {

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The command is in the parent of the tests' folder: bin/weft and bin/tests/.
std::string program() { return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "weft"; }

void redirect(int stream, const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::dup2(file, stream);
  ::close(file);
}

}  // namespace

std::string Outcome::last_line() const {
  const std::size_t end = err.find_last_not_of('\n');
  if (end == err.npos) return "";
  const std::size_t before = err.rfind('\n', end);
  const std::size_t start = before == err.npos ? 0 : before + 1;
  return err.substr(start, end - start + 1);
}

Command::Command(std::vector<std::string> arguments, std::function<void()> in_child) {
  arguments.insert(arguments.begin(), program());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const auto out = streams_ / "out", err = streams_ / "err";
  latest_end_ = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A shell that runs the tests in the background makes them ignore these signals.
    for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGPIPE}) std::signal(number, SIG_DFL);
    redirect(STDOUT_FILENO, out);
    redirect(STDERR_FILENO, err);
    in_child();
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
}

Command::~Command() {
  if (process_ > 0 && !has_ended()) {
    ::kill(process_, SIGKILL);
    wait();
  }
}

bool Command::has_ended() {
  if (process_ < 0) return true;
  if (::waitpid(process_, &status_, WNOHANG) != process_) return false;
  process_ = -1;
  return true;
}

bool Command::said(const std::string& text) {
  while (true) {
    const bool ended = has_ended();  // before the read, so that the last output is not missed
    if (contents(streams_ / "err").find(text) != std::string::npos) return true;
    if (ended) return false;
    kill_late_process();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Command::kill_late_process() {
  if (std::chrono::steady_clock::now() < latest_end_) return;
  std::ofstream(streams_ / "err", std::ios::app) << "killed by the test: it ran for more than five minutes\n";
  signal(SIGKILL);
  latest_end_ = std::chrono::steady_clock::time_point::max();
}

void Command::signal(int number) {
  if (process_ > 0) ::kill(process_, number);
}

void Command::limit_file_size(rlim_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  if (process_ > 0) ::prlimit(process_, RLIMIT_FSIZE, &limit, nullptr);
}

Outcome Command::wait() {
  while (!has_ended()) {
    kill_late_process();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_), contents(streams_ / "out"),
          contents(streams_ / "err")};
}

void bound_by_permissions() {
  for (const int capability : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH}) ::prctl(PR_CAPBSET_DROP, capability);
}

Outcome weft(std::vector<std::string> arguments, std::function<void()> in_child) {
  return Command(std::move(arguments), std::move(in_child)).wait();
}

std::vector<std::string> train_tiny(const std::filesystem::path& text, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"train", "text", "--file", text, "--config", "tiny"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::filesystem::path write_text(const std::filesystem::path& path, std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::ofstream file(path, std::ios::binary);
  for (std::size_t i = 0; i < bytes; ++i) file.put("the quick brown fox"[random() % 19]);
  return path;
}

}  // namespace weft::cli
