#include <weft/runtime/ranks.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <string>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/module.h>
#include <weft/runtime/mail.h>
#include <weft/runtime/mpi/mpi_transport.h>

namespace weft::runtime {

namespace {

// A launcher of processes: how its processes know that they are several, and which module carries their messages.
struct Launcher {
  const char* name;
  const char* mark;  // a variable that it sets for each process
  const char* count_variable;
  const char* module;
  const char* package;
};
constexpr Launcher launchers[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi", "libopenmpi-dev"},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "mpich", "libmpich-dev"},
    {"Slurm with PMIx", "PMIX_RANK", "SLURM_NTASKS", "openmpi", "libopenmpi-dev"},
};

std::uint32_t number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (!text) return 0;
  const std::string_view digits(text);
  std::uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// Returns the launcher of this process; null if it started no others.
const Launcher* launcher() {
  if (!knobs::join_ranks()) return nullptr;
  for (const Launcher& each : launchers)
    if (std::getenv(each.mark) && number_in(each.count_variable) > 1) return &each;
  return nullptr;
}

std::unique_ptr<Transport> connect(const Launcher& by) {
  const auto make =
      reinterpret_cast<decltype(&weft_make_mpi_transport)>(find_in_module(by.module, "weft_make_mpi_transport"));
  if (!make)
    fail("this process is one of ", number_in(by.count_variable), " that ", by.name,
         " started, but weft was built without what connects them: install ", by.package,
         " and build weft again, or let each process compute by itself with WEFT_JOIN_RANKS=0");
  return std::unique_ptr<Transport>(make());
}

struct Job {
  Job() {
    const Launcher* const by = launcher();
    if (!by) return;
    transport = connect(*by);
    ranks = {transport->rank(), transport->ranks(), transport.get()};
  }
  std::unique_ptr<Transport> transport;
  Ranks ranks;
};

}  // namespace

const Ranks& ranks() {
  static const auto* const job = new Job;  // never destroyed: the ranks part at the very end of the process
  return job->ranks;
}

bool is_one_of_several() { return launcher() != nullptr; }

void broadcast(std::string_view what, std::span<std::byte> bytes) {
  const Ranks& all = ranks();
  if (all.count == 1) return;
  Mail mail(*all.transport, Transport::Channel::host);
  if (!all.is_first()) mail.receive(0, bytes.data(), bytes.size());
  for (std::uint32_t rank = 1; all.is_first() && rank < all.count; ++rank) mail.send(rank, bytes.data(), bytes.size());
  mail.deliver({.text = what});
}

LocalDevices local_devices(std::uint32_t devices) {
  const Ranks& all = ranks();
  const std::uint32_t below = devices / all.count * all.count;
  if (devices % all.count != 0)
    fail("a mesh of ", devices, " devices cannot be shared equally by ", all.count, " processes: use ",
         below != 0 ? concat(below, " or ") : "", below + all.count, " devices, or start as many processes as divide ",
         devices);
  const std::uint32_t count = devices / all.count;
  return {all.rank * count, count};
}

}  // namespace weft::runtime
