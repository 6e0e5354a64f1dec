// Threads of other libraries in this process, such as those of a BLAS that a foreign function calls.
#pragma once

namespace weft::runtime {

// Tells that another library may now compute with threads of its own. From now on, until no such call was made for a second, kernel threads
// that wait for work sleep almost at once: on their CPUs, they would keep that library from running. Thread-safe.
void expect_foreign_threads();

}  // namespace weft::runtime
