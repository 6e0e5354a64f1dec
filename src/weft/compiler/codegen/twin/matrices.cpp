#include <weft/compiler/codegen/twin/matrices.h>

#include <cstring>

#include <weft/base/half.h>

namespace weft::compiler::twin {

namespace {

constexpr int warp = 32;

float widened(bool is_bf16, std::uint16_t bits) {
  return static_cast<float>(is_bf16 ? double(bfloat16::from_bits(bits)) : double(float16::from_bits(bits)));
}

float element(const ProductPart& part, int value, int which) {
  return widened(part.is_bf16, static_cast<std::uint16_t>(part.operands[value] >> (16 * which)));
}

// Where the elements of a matrix lie in shared memory, by its descriptor.
class SharedElements {
 public:
  explicit SharedElements(std::uint64_t descriptor)
      : start_(16 * (descriptor & 0x3fff)),
        to_next_panel_(16 * (descriptor >> 16 & 0x3fff)),
        to_next_lines_(16 * (descriptor >> 32 & 0x3fff)),
        line_(128 >> ((descriptor >> 62) - 1)) {}

  // The address of an element of a line, which may go on in the next panels. The bits that number the 16-byte piece are changed by those
  // that number the 128 bytes in which it lies.
  std::size_t at(std::size_t line, std::size_t element) const {
    const std::size_t byte = 2 * element;
    const std::size_t address =
        start_ + line / 8 * to_next_lines_ + line % 8 * line_ + byte / line_ * to_next_panel_ + byte % line_;
    return address ^ (address >> 3 & (line_ - 16));
  }

 private:
  std::size_t start_, to_next_panel_, to_next_lines_, line_;
};

}  // namespace

void multiply_add(WarpgroupProduct* const* parts) {
  const WarpgroupProduct& first = *parts[0];
  const std::size_t columns = 2 * first.sum.size();
  for (std::size_t k = 0; k < first.right.size(); ++k) {
    const SharedElements elements(first.right[k]);
    float left[16][16];
    std::vector<float> right(16 * columns);
    for (std::size_t row = 0; row < 16; ++row)
      for (std::size_t column = 0; column < columns; ++column) {
        std::uint16_t bits = 0;
        const std::size_t at = first.transposed ? elements.at(row, column) : elements.at(column, row);
        std::memcpy(&bits, first.shared + at, sizeof(bits));
        right[row * columns + column] = widened(first.is_bf16, bits);
      }
    for (int thread = 0; thread < warp; ++thread) {
      const int g = thread / 4, t = thread % 4;
      for (int value = 0; value < 4; ++value)
        for (int which = 0; which < 2; ++which)
          left[g + 8 * (value % 2)][2 * t + which + 8 * (value / 2)] =
              widened(first.is_bf16, static_cast<std::uint16_t>(parts[thread]->left[4 * k + value] >> (16 * which)));
    }
    for (int thread = 0; thread < warp; ++thread) {
      const int g = thread / 4, t = thread % 4;
      for (std::size_t i = 0; i < first.sum.size(); ++i) {
        const std::size_t row = g + 8 * (i % 4 / 2), column = i / 4 * 8 + 2 * t + i % 2;
        float& sum = parts[thread]->sum[i];
        for (std::size_t e = 0; e < 16; ++e) sum += left[row][e] * right[e * columns + column];
      }
    }
  }
  for (int thread = 0; thread < warp; ++thread) parts[thread]->is_done = true;
}

void multiply_add(ProductPart* const* parts) {
  float left[16][16], right[16][8];
  for (int thread = 0; thread < warp; ++thread) {
    const int g = thread / 4, t = thread % 4;
    for (int which = 0; which < 2; ++which) {
      for (int value = 0; value < 4; ++value)
        left[g + 8 * (value % 2)][2 * t + which + 8 * (value / 2)] = element(*parts[thread], value, which);
      for (int value = 0; value < 2; ++value)
        right[2 * t + which + 8 * value][g] = element(*parts[thread], 4 + value, which);
    }
  }
  for (int thread = 0; thread < warp; ++thread) {
    const int g = thread / 4, t = thread % 4;
    for (int i = 0; i < 4; ++i) {
      const int row = g + 8 * (i / 2), column = 2 * t + i % 2;
      for (int k = 0; k < 16; ++k) parts[thread]->sum[i] += left[row][k] * right[k][column];
    }
  }
}

void load(LoadPart* const* parts) {
  for (int matrix = 0; matrix < 4; ++matrix) {
    std::uint16_t elements[8][8];
    for (int row = 0; row < 8; ++row)
      std::memcpy(elements[row], parts[8 * matrix + row]->address, sizeof(elements[row]));
    for (int thread = 0; thread < warp; ++thread) {
      const int g = thread / 4, t = thread % 4;
      const bool transposed = parts[thread]->transposed;
      const std::uint16_t low = transposed ? elements[2 * t][g] : elements[g][2 * t],
                          high = transposed ? elements[2 * t + 1][g] : elements[g][2 * t + 1];
      parts[thread]->result[matrix] = low | std::uint32_t{high} << 16;
    }
  }
}

std::uint32_t rounded(bool is_bf16, float first, float second) {
  const auto bits = [&](float x) -> std::uint32_t { return is_bf16 ? bfloat16(x).bits : float16(x).bits; };
  return bits(first) | bits(second) << 16;
}

}  // namespace weft::compiler::twin
