// The function of the module libweft_s3.so, which makes a store whose requests libcurl signs and sends.
#pragma once

#include <weft/compiler/cache/object_store.h>

// Returns a store that the caller deletes. Throws Error.
extern "C" weft::compiler::ObjectStore* weft_make_s3_store(const weft::compiler::ObjectStoreSettings& settings);
