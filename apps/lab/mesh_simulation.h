// Simulates the training step of a ViT on a mesh of any size. The step is divided and compiled as for that mesh, one device's program runs
// alone to measure its operations, and its schedule is replayed with these times and with the times that a link takes. Nothing is made for
// each device, so a mesh of 1,024 devices costs what a mesh of 2 costs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <weft/compiler/options/link.h>

namespace weft::lab {

struct SimulationOptions {
  std::vector<std::int64_t> devices = {};  // of each mesh to simulate
  std::int64_t batch = 16;                 // images per device
  std::int64_t steps = 5;                  // measured steps of one device's program
  compiler::Link link = {};                // between the devices
  // Numbers of devices that are also measured, as logical devices of this machine which wait for such a link, and compared with what is
  // predicted for devices that share this machine.
  std::vector<std::int64_t> measured = {};
};

// What a step takes, as predicted or as measured.
struct StepFigures {
  double step_ms = 0;
  double communication_ms = 0, exposed_ms = 0;  // the time in which collectives run, and in which nothing else does

  double exposed_share() const { return communication_ms > 0 ? exposed_ms / communication_ms : 0; }
};

struct SimulatedStep {
  std::string layout = {}, mesh = {};  // data parallel; data=8
  std::int64_t devices = 1, batch = 0;
  double compile_s = 0;  // of the program, whatever the number of devices
  StepFigures predicted = {};
  std::size_t collectives = 0;
  double sent_bytes = 0;  // by each device
  // On each device: parameters and the optimizer's state, the same by the formulas of the ZeRO paper (negative: there is none), and all
  // memory at the peak.
  double state_bytes = 0, formula_bytes = -1, peak_bytes = 0;
};

struct ComparedStep {
  SimulatedStep simulated;  // with all devices on this machine
  StepFigures measured;

  double residual() const { return simulated.predicted.step_ms / measured.step_ms - 1; }
};

struct SimulationReport {
  std::int64_t parameters = 0;
  std::vector<SimulatedStep> steps;
  std::vector<ComparedStep> compared;
};

// Calls `done` after each layout, with what was done. Throws Error if a mesh is too large.
SimulationReport simulate_mesh(const SimulationOptions& options,
                               const std::function<void(const std::string& what)>& done = {});

}  // namespace weft::lab
