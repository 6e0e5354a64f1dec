#include <weft/compiler/codegen/llvm/vector_math.h>

#include <dlfcn.h>

namespace weft::compiler {

void* vector_math_library() {
  static void* const library = dlopen("libmvec.so.1", RTLD_NOW);
  return library;
}

}  // namespace weft::compiler
