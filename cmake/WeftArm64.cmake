# The toolchain of the preset arm64: Debian's cross compiler, the folder of ARM libraries that tools/arm64 creates, and qemu-user,
# which runs tests and programs. Programs that the build itself calls are those of this machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

cmake_path(SET WEFT_ARM64_ROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root)
set(CMAKE_SYSROOT ${WEFT_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH ${WEFT_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;${WEFT_ARM64_ROOT})

set(WEFT_MOLD "" CACHE FILEPATH "Not used: the cross compiler looks only for linkers of its own")
