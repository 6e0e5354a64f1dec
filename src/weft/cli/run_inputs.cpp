#include <weft/cli/run_inputs.h>

#include <weft/base/convert.h>
#include <weft/base/error.h>
#include <weft/base/random.h>
#include <weft/data/npy.h>
#include <weft/ir/boundary.h>

namespace weft::cli {

namespace {

struct Given {
  std::string file;
  data::NpyArray numbers;

  ir::Port port() const { return {0, numbers.array.type(), numbers.imaginary.has_value()}; }
};

std::vector<Given> read_files(std::span<const std::string> files) {
  std::vector<Given> given;
  for (const std::string& file : files) {
    if (!file.ends_with(".npz")) {
      given.push_back({file, data::read_npy_parts(file)});
      continue;
    }
    for (data::NpyArray& numbers : data::read_npz(file)) given.push_back({file, std::move(numbers)});
  }
  return given;
}

// Draws floats from [-1, 1) in steps of 2^-23, integers from 0 to 9, and booleans.
ir::Array draw(Type type, std::uint64_t seed, std::uint64_t position) {
  require(static_cast<int>(type.dtype()) < dtype_count, "run: nothing can be drawn for ", type);
  ir::Array array(type);
  const std::uint64_t state[] = {seed, position << 32};
  const random::Philox generator(state, type.elements(), 4);
  visit(type.dtype(), [&]<class T>(T) {
    std::uint64_t i = 0;
    for (T& element : array.data<T>()) {
      const std::uint64_t bits = generator.bits(i++);
      if constexpr (is_float_type<T>)
        element = convert_element<T>((bits >> 8) * 0x1p-23 - 1);
      else
        element = bits % (std::is_same_v<T, bool> ? 2 : 10);
    }
  });
  return array;
}

}  // namespace

std::vector<ir::Array> find_inputs(const ir::Graph& function, std::span<const std::string> files,
                                   std::optional<std::int64_t> seed) {
  const std::vector<ir::Port> inputs = ir::input_ports(function);
  std::vector<Given> given = read_files(files);
  require(given.size() <= inputs.size() && (seed || given.size() == inputs.size()), "run: @", function.name, " takes ",
          inputs.size(), " inputs, got ", given.size(), seed ? "" : "; --random draws what is missing");
  std::vector<ir::Array> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ir::Port& input = inputs[i];
    if (i >= given.size()) {
      for (std::size_t part = 0; part < input.count(); ++part)
        arrays.push_back(draw(input.part, static_cast<std::uint64_t>(*seed), input.first + part));
      continue;
    }
    const ir::Port port = given[i].port();
    require(port.part == input.part && port.is_complex == input.is_complex, given[i].file, ": holds ", port, ", input ",
            i, " of @", function.name, " is ", input);
    arrays.push_back(std::move(given[i].numbers.array));
    if (port.is_complex) arrays.push_back(std::move(*given[i].numbers.imaginary));
  }
  return arrays;
}

}  // namespace weft::cli
