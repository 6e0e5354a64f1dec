// Names the op and its place in errors of libraries that weft calls while it makes a unit; the libraries know neither.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <weft/base/error.h>
#include <weft/ir/graph.h>
#include <weft/ir/op.h>

namespace weft::compiler {

// Returns "FILE:LINE" of the source that recorded the node; empty if it is not known.
inline std::string place_of(const ir::Node& node) {
  return node.location.line ? concat(node.location.file, ":", node.location.line) : "";
}

// Returns make(). Turns exceptions that are not weft's own into an Error that names the op and its place, which may be empty.
template <class Make>
auto naming_library_errors(std::string_view op, std::string_view place, Make&& make) {
  try {
    return make();
  } catch (const Error&) {
    throw;
  } catch (const InternalError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail("compile: ", op, place.empty() ? "" : " at ", place, ": ", error.what());
  }
}

template <class Make>
auto naming_library_errors(const ir::Node& node, Make&& make) {
  return naming_library_errors(node.op->name, place_of(node), std::forward<Make>(make));
}

}  // namespace weft::compiler
