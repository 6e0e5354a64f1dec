// Lets the processes of a run decide together. A signal, or a time that is over, reaches each of them at another moment, but they must stop at
// the same step: otherwise some of them would wait for the others in a collective.
#pragma once

#include <deque>
#include <string>

#include <weft/tensor/future.h>
#include <weft/tensor/sharding.h>

namespace weft::train {

class Agreement {
 public:
  // The devices of the mesh are those of all processes.
  explicit Agreement(const Mesh& mesh);

  // To be called by every process once in each step, with a vote of at least 0. Returns the largest vote of two steps ago, and 0 before: a
  // program carries the votes from device to device, and nobody waits for those of this step.
  int largest(int vote);

 private:
  static constexpr std::size_t steps_ago = 2;

  Mesh mesh_;
  std::string all_axes_;
  std::deque<Future<double>> votes_;
};

}  // namespace weft::train
