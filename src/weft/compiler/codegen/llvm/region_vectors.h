// Elements of a region's values that are the lanes of vectors. A value is a list of elements, but where neighbours were loaded or computed as one
// vector, what is computed from them is a vector again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include <weft/compiler/codegen/llvm/region_emitter.h>

namespace weft::compiler {

// Returns the vector of which the elements are all lanes, in order; null if they are not.
llvm::Value* whole_vector(std::span<llvm::Value* const> elements);

// Returns whether a vector of the elements takes no instruction for each: they are all lanes of one, constants, or the same.
bool is_vector(std::span<llvm::Value* const> elements);

// Returns a vector of the elements, of which the last one fills further lanes.
llvm::Value* vector_of(llvm::IRBuilder<>& b, std::span<llvm::Value* const> elements, std::size_t lanes);

// Appends the first `count` lanes of a vector.
void append_lanes(llvm::IRBuilder<>& b, llvm::Value* vector, std::size_t count, std::vector<llvm::Value*>& elements);

// Loads or stores elements at places of a tensor in memory; `address` returns the address of a place. Neighbours are loaded as vectors, and
// stored as vectors if they are in vectors already.
using AddressOfPlace = std::function<llvm::Value*(std::int64_t place)>;
void load_elements(RegionContext& context, DType dtype, std::span<const std::int64_t> places,
                   const AddressOfPlace& address, Elements& elements);
void store_elements(RegionContext& context, DType dtype, std::span<const std::int64_t> places,
                    const AddressOfPlace& address, const Elements& elements);

}  // namespace weft::compiler
