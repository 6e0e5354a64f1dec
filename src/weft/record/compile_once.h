// Of several processes that run a program together, one generates the code.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <weft/compiler/options/report.h>

namespace weft::runtime {
struct Executable;
}

namespace weft::record {

// Calls `compile`, first in the first process of the job: the others then get its kernels, with the signature of compiler/artifacts.h. A
// process that does not trust them generates them itself. All processes must call this for the same program.
std::shared_ptr<const runtime::Executable> compile_once(
    const std::function<std::shared_ptr<const runtime::Executable>(compiler::Report& report)>& compile,
    std::optional<compiler::Report>& report);

}  // namespace weft::record
