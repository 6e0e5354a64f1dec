#include <weft/runtime/repeated.h>

#include <algorithm>
#include <array>

#include <weft/runtime/schedule.h>

namespace weft::runtime {

namespace {

// The end of a thunk; null: of none.
struct End {
  double us = 0;
  const Thunk* thunk = nullptr;
  std::uint64_t launch = 0;
};

End later(const End& one, const End& other) { return one.us >= other.us ? one : other; }

class Repeated {
 public:
  explicit Repeated(const Executable& executable)
      : executable_(executable),
        schedule_(executable.schedule ? executable.schedule : schedule(executable)),
        given_(executable.inputs.size()) {
    for (std::uint32_t p = 0; p < schedule_->parts.size(); ++p)
      for (std::uint32_t i = 0; i < schedule_->parts[p].tasks.size(); ++i)
        order_.push_back({schedule_->parts[p].tasks[i].thunk, p, i});
    std::ranges::sort(order_, {}, &Place::thunk);
  }

  // Returns when the launch has ended.
  double launch(std::uint64_t number, const auto& thunk_us, const auto& ran) {
    const double computed_before = of_stream(StreamKind::compute);
    ends_.assign(schedule_->parts.size(), {});
    for (const auto [thunk, p, i] : order_) {
      const Schedule::Part& part = schedule_->parts[p];
      const Schedule::Task& task = part.tasks[i];
      const Thunk& run = *executable_.thunks[thunk];
      // A collective that the compute stream runs needs the link, too.
      End awaited{std::max(of_stream(part.stream), of_stream(run.stream))};
      for (const std::uint32_t allocation : task.allocations)
        awaited = later(awaited, allocated(p, allocation, computed_before));
      for (const Schedule::Wait& wait : task.waits) awaited = later(awaited, end_of(wait));
      const double end_us = awaited.us + thunk_us(run);
      of_stream(part.stream) = of_stream(run.stream) = end_us;
      ends_[p].push_back({end_us, &run, number});
      if (ran) ran({run, part.stream, number, awaited.us, end_us, awaited.thunk, awaited.launch});
    }
    End last = ends_[0].empty() ? End{computed_before} : ends_[0].back();
    for (const std::uint32_t allocation : schedule_->untouched)
      last = later(last, allocated(0, allocation, computed_before));
    of_stream(StreamKind::compute) = last.us;
    ends_[0].push_back(last);
    give();
    double end_us = 0;
    for (const std::vector<End>& part : ends_)
      if (!part.empty()) end_us = std::max(end_us, part.back().us);
    return end_us;
  }

 private:
  struct Place {
    std::uint32_t thunk, part, task;
  };

  double& of_stream(StreamKind stream) { return stream_us_[static_cast<std::size_t>(stream)]; }

  // Returns when an allocation can be touched.
  End allocated(std::uint32_t part, std::uint32_t allocation, double computed_before) const {
    const Allocation& a = executable_.allocations[allocation];
    if (a.kind == Allocation::Kind::input) return given_[a.index];
    if (a.kind != Allocation::Kind::output || executable_.outputs[a.index].donated_input < 0) return {};
    const End given = given_[executable_.outputs[a.index].donated_input];
    return part == 0 ? given : later(given, {computed_before});
  }

  End end_of(const Schedule::Wait& wait) const {
    const std::vector<End>& part = ends_[wait.part];
    return part.empty() ? End() : part[std::min<std::size_t>(wait.tasks, part.size()) - 1];
  }

  // The outputs become inputs of the next launch.
  void give() {
    std::vector<End> of_output(executable_.outputs.size());
    for (const Schedule::Group& group : schedule_->groups)
      for (const std::uint32_t output : group.outputs)
        for (const Schedule::Wait& wait : group.waits) of_output[output] = later(of_output[output], end_of(wait));
    for (const Carried& value : executable_.carried) given_[value.input] = of_output[value.output];
  }

  const Executable& executable_;
  const std::shared_ptr<const Schedule> schedule_;
  std::vector<Place> order_;
  std::vector<End> given_;              // of each input
  std::vector<std::vector<End>> ends_;  // of the tasks of each part, in this launch
  std::array<double, stream_kinds> stream_us_ = {};
};

}  // namespace

std::vector<double> repeat(const Executable& executable, std::uint64_t launches,
                           const std::function<double(const Thunk& thunk)>& thunk_us,
                           const std::function<void(const PredictedRun& run)>& ran) {
  Repeated repeated(executable);
  std::vector<double> ends;
  for (std::uint64_t launch = 0; launch < launches; ++launch) ends.push_back(repeated.launch(launch, thunk_us, ran));
  return ends;
}

}  // namespace weft::runtime
