#include <omp.h>

#include <weft/runtime/parallel.h>
#include <weft/runtime/parallel_pool.h>

namespace weft::runtime::pool {

void run(int parts, void (*part)(void*, int), void* context) {
  // Always the whole team: libgomp rebuilds its team when the number of threads changes, which costs more than idle ones. Fewer
  // threads than asked for must still do every part.
#pragma omp parallel num_threads(thread_count()) default(none) firstprivate(parts, part, context)
  for (int i = omp_get_thread_num(); i < parts; i += omp_get_num_threads()) part(context, i);
}

bool inside() { return omp_in_parallel() != 0; }

void set_threads(int threads) { omp_set_num_threads(threads); }

}  // namespace weft::runtime::pool
