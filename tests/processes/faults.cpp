// Trains on a mesh of several processes, one of which misbehaves in the way that the first argument names, and records itself in the folder
// that the second one names; see run.sh.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <weft/profile/scope.h>
#include <weft/weft.h>

using weft::Mesh, weft::Tensor;

int main(int argc, char** argv) {
  const std::string fault = argc > 1 ? argv[1] : "";
  std::optional<weft::profile::Scope> profile;
  if (argc > 2) profile.emplace(argv[2]);
  const Mesh mesh{{"data", 4}};
  const bool is_faulty = weft::process_index() == weft::process_count() - 1;
  weft::Parameter weight(weft::ones({64, 64}));
  const auto step = weft::compile(mesh, [&](const Tensor& x) {
    const Tensor loss = weft::mean(weft::square(weft::matmul(x, weight)));
    const Tensor gradient = weft::grad(loss, {weight})[0];
    weight = weight - 0.1 * gradient;
    return loss;
  });
  const auto other_step = weft::compile(mesh, [&](const Tensor& x) { return weft::max(weft::matmul(x, weight)); });
  try {
    for (int i = 0; i < 20; ++i) {
      const weft::profile::Step marked(i);
      if (fault == "late" && is_faulty) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const Tensor x = weft::randn({8, 64}).sharded("data", mesh);
      if (i == 10 && is_faulty) {
        if (fault == "kill") ::kill(::getpid(), SIGKILL);
        if (fault == "stop") ::kill(::getpid(), SIGSTOP);
        if (fault == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
        if (fault == "exit") std::exit(3);
        if (fault == "throw") weft::fail("the disk of this process is full");
        if (fault == "leave") return 0;
        if (fault == "operation") (void)other_step(x).item();
        if (fault == "shape") (void)step(weft::randn({16, 64}).sharded("data", mesh)).item();
        if (fault == "type") (void)other_step(x.to(weft::DType::f64)).item();
        if (fault == "count") (void)step(x).item();
      }
      (void)step(x).item();
    }
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << std::endl;
    return 1;
  }
  if (weft::process_index() == 0) std::cout << "done" << std::endl;
  return 0;
}
