#include <weft/runtime/layout.h>

#include <deque>
#include <mutex>

namespace weft::runtime {

namespace {

class Layouts {
 public:
  static Layouts& instance() {
    static auto* const layouts = new Layouts;  // never destroyed: buffers may be read until the process ends
    return *layouts;
  }
  std::uint32_t add(std::unique_ptr<const Layout> layout) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(layout));
    return all_.size();
  }
  const Layout& operator[](std::uint32_t number) const {
    const std::lock_guard lock(mutex_);
    return *all_[number - 1];
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::unique_ptr<const Layout>> all_;
};

}  // namespace

LayoutId LayoutId::next(std::unique_ptr<const Layout> layout) {
  return LayoutId(Layouts::instance().add(std::move(layout)));
}

const Layout& LayoutId::operator*() const { return Layouts::instance()[number_]; }

}  // namespace weft::runtime
