#include <weft/compiler/options/options.h>

#include <weft/base/knobs.h>

namespace weft::compiler {

Options Options::from_knobs() {
  Options options;
  options.strict = knobs::strict();
  options.fuse = knobs::fuse();
  return options;
}

}  // namespace weft::compiler
