#include <weft/record/compile_ahead.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/base/trace.h>
#include <weft/record/plan_cache.h>

namespace weft::metrics {
inline constinit Counter compiled_ahead("CompiledAhead");  // programs that were compiled before they were needed
}

namespace weft::record {

namespace {

std::shared_ptr<Plan> compiled(const CompileAhead::Job& job) {
  const trace::Scope scope("host", "compile ahead");
  auto plan = std::make_shared<Plan>();
  plan->graph = job.graph;
  std::optional<compiler::Report> report;
  if (job.family) {
    SizeFamilies& families = SizeFamilies::instance();
    SizeFamilies::Known known = families.find(*job.family, job.graph);
    plan->executable = known.executable;
    plan->report = known.report;
    if (!plan->executable) {
      if (auto sized = families.compile(std::move(known), job.graph, job.options, report))
        plan->executable = *std::move(sized);
    }
  }
  if (!plan->executable) plan->executable = compiler::compile(*job.graph, job.options, &report.emplace());
  if (report) plan->report = std::make_shared<const compiler::Report>(std::move(*report));
  return plan;
}

}  // namespace

CompileAhead& CompileAhead::instance() {
  static CompileAhead ahead;
  return ahead;
}

CompileAhead::~CompileAhead() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  if (worker_.joinable()) worker_.join();
}

std::list<CompileAhead::Job>::iterator CompileAhead::under_way(const Fingerprint& key) {
  return std::ranges::find_if(jobs_, [&](const Job& job) { return job.key == key || job.family == key; });
}

void CompileAhead::add(Job job) {
  if (PlanCache::instance().find(job.key)) return;
  {
    const std::lock_guard lock(mutex_);
    if (under_way(job.key) != jobs_.end()) return;
    jobs_.push_back(std::move(job));
    unfinished_.fetch_add(1, std::memory_order_release);
    if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
  }
  changed_.notify_all();
}

void CompileAhead::wait(const Fingerprint& key) {
  std::unique_lock lock(mutex_);
  for (auto job = under_way(key); job != jobs_.end(); job = under_way(key)) {
    const auto next = is_compiling_ ? std::next(jobs_.begin()) : jobs_.begin();
    if (job != jobs_.begin()) jobs_.splice(next, jobs_, job);
    changed_.wait(lock);
  }
}

void CompileAhead::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stops_ || !jobs_.empty(); });
    if (stops_) return;
    is_compiling_ = true;
    const Job& job = jobs_.front();
    lock.unlock();
    try {
      PlanCache::instance().insert(job.key, compiled(job));
      metrics::compiled_ahead.add();
      if (job.made) job.made->fetch_add(1);
    } catch (const std::exception& error) {
      // The call that needs the program compiles it again, and throws.
      WEFT_LOG(recompiles, job.options.name, ": could not be compiled ahead: ", error.what());
    }
    lock.lock();
    is_compiling_ = false;
    jobs_.pop_front();
    unfinished_.fetch_sub(1, std::memory_order_release);
    changed_.notify_all();
  }
}

}  // namespace weft::record
