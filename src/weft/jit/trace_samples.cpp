// Samples: a function is recorded for tensors that have no elements, and nothing is launched.
#include <utility>

#include <weft/jit/trace.h>
#include <weft/tensor/recording.h>
#include <weft/tensor/sync.h>
#include <weft/tensor/synchronizer.h>

namespace weft::jit {

void Trace::record_sample(const std::function<std::vector<Tensor>()>& run, bool keep) {
  record_without_launch(
      run, [&](detail::Synchronizer& synchronizer, bool whole) { synchronizer.run_as_sample(whole && keep); });
}

std::optional<detail::CompileAhead::Job> Trace::record_job(const std::function<std::vector<Tensor>()>& run) {
  std::optional<detail::CompileAhead::Job> job;
  record_without_launch(run, [&](detail::Synchronizer& synchronizer, bool whole) {
    if (whole) {
      job = synchronizer.run_as_job();
    } else {
      synchronizer.run_as_sample(false);
    }
  });
  return job;
}

void Trace::record_without_launch(const std::function<std::vector<Tensor>()>& run, const Closes& closes) {
  sync();
  stand_in();
  const Attached attached(*this);
  detail::Recording& recording = detail::Recording::current();
  closes_sample_ = &closes;
  const auto end = [&](bool whole) {
    detail::Synchronizer synchronizer(recording);
    if (closes_sample_) {
      (*std::exchange(closes_sample_, nullptr))(synchronizer, whole);
    } else {
      synchronizer.run_as_sample(false);
    }
    restore_arguments();
    end_stand_ins();
    roll_back();
  };
  try {
    const std::vector<Tensor> results = run();
    require_aliases_to_matter();
    let_go_of_replaced();
    end(true);
  } catch (const EndOfSample&) {
    end(false);
  } catch (...) {
    end(false);
    throw;
  }
}

// Now, for what is held here is what is held where the call launches it.
void Trace::end_sample(std::string reason, bool has_graph) {
  sample_ended_by_ = std::move(reason);
  if (closes_sample_ && has_graph) {
    detail::Synchronizer synchronizer(detail::Recording::current());
    (*std::exchange(closes_sample_, nullptr))(synchronizer, true);
  }
  throw EndOfSample();
}

bool Trace::has_elements(std::size_t argument) const {
  return !is_sample() || options_.types[argument] == leaves_[argument].type;
}

// In a loop body nothing has, and reading is refused there.
bool Trace::lacks_elements(const Tensor& tensor) const {
  if (tensor.impl().recording) return !detail::Recording::current().is_body();
  const auto found = places_.find(&tensor.impl());
  return found != places_.end() && found->second.kind == Place::Kind::argument && !has_elements(found->second.index);
}

// Whoever has kept one of a sample would wait for its elements forever.
void Trace::end_stand_ins() {
  for (const StandIn& stand_in : stand_ins_)
    if (stand_in.stand_in.impl().buffer) stand_in.stand_in.impl().let_go_of_buffer();  // one may stand for several
}

}  // namespace weft::jit
