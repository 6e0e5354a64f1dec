// How a program is divided among the devices of a mesh: its collectives, what each costs, and why it is there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::compiler {

struct Division {
  struct Collective {
    std::string name, axes;  // all_reduce; data
    // What each device sends in one launch, if a ring carries it, and the formula: 2 x 7/8 of tensor<128x64xf32>.
    double sent_bytes = 0;
    std::string formula;
    std::string made, needed;    // the operations that make the value and that need it, with their places
    std::int32_t input = -1;     // the input of the program that the value is; -1 if an operation makes it
    std::int32_t operation = 0;  // tensors with equal numbers are carried by one operation
    // Why the operation needs a collective; # stands for what makes the value.
    std::string reason = {};
    std::vector<std::string> remedies = {};  // what would remove it, the best first (spmd/remedies.h)
  };
  std::string mesh = {};  // data=8
  std::int64_t devices = 1;
  std::vector<Collective> collectives = {};  // for each tensor; the one that sends the most first
  // How collectives of one kind became fewer, a sentence for each kind, and why they are not hidden, if they are not.
  std::vector<std::string> joined = {};

  std::size_t operations() const;  // the number of collectives in one launch
  double sent_bytes() const;       // by each device in one launch
  // Returns "8 devices (data=8): 2 all_gather, 3 all_reduce of 34 tensors; each device sends 6.2 MiB".
  std::string summary() const;
};

// Names an input of the program, for messages.
using NameOfInput = std::function<std::string(std::int32_t input)>;

// Returns "all_reduce along data: each device sends 6.2 MiB, 2 x 7/8 of tensor<...>", and why the collective is there.
std::string cost_text(const Division::Collective& collective);
std::string reason_text(const Division::Collective& collective, const NameOfInput& name_of_input);

}  // namespace weft::compiler
