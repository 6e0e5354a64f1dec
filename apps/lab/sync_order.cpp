#include <apps/lab/sync_order.h>

#include <chrono>
#include <utility>

#include <apps/lab/address_identity.h>
#include <weft/record/session.h>
#include <weft/record/sync.h>
#include <weft/record/sync_stages.h>

namespace weft::lab {

class SyncOrderScope::Stages final : public record::SyncStages {
 public:
  explicit Stages(SyncOrder order) : order_(order) {}

  void begins() override {
    if (order_ == SyncOrder::lock_at_collect) wait();
  }
  void collected(const Collected& collected) override {
    addresses_.walk(collected.outputs);
    device().host_works(addresses_.nodes());
    if (order_ != SyncOrder::early_placeholders) look_at_addresses(collected);
  }
  void promised(const Collected& collected) override {
    if (order_ == SyncOrder::early_placeholders) look_at_addresses(collected);
  }

  double waited_us() const { return std::chrono::duration<double, std::micro>(waited_).count(); }

 private:
  void wait() {
    const auto start = std::chrono::steady_clock::now();
    device().synchronize();
    waited_ += std::chrono::steady_clock::now() - start;
  }
  void look_at_addresses(const Collected& collected) {
    if (order_ != SyncOrder::lock_at_collect) wait();
    addresses_.scan_leaves(collected.inputs);
    device().host_works(collected.inputs.size());
  }

  SyncOrder order_;
  AddressIdentity addresses_;
  std::chrono::steady_clock::duration waited_{0};
};

SyncOrderScope::SyncOrderScope(SyncOrder order)
    : stages_(order == SyncOrder::logical_ids ? nullptr : std::make_unique<Stages>(order)),
      before_(std::exchange(record::session.sync_stages, stages_.get())) {}
SyncOrderScope::~SyncOrderScope() { record::session.sync_stages = before_; }

double SyncOrderScope::waited_us() const { return stages_ ? stages_->waited_us() : 0; }

}  // namespace weft::lab
