#include <weft/tensor/eig.h>

#include <complex>
#include <vector>

#include <weft/base/general_eigen.h>

namespace weft::detail {

namespace {

std::vector<Type> eig_types(std::span<const Type> inputs, bool with_vectors) {
  const Type a = inputs[0], values(a.dtype(), a.dims().first(a.dims().size() - 1));
  return with_vectors ? std::vector{values, values, a, a} : std::vector{values, values};
}

// Calls compute(T, n, i) for each matrix i of the first input.
void for_each_matrix(const HostCall& call, const auto& compute) {
  const Type a = call.inputs[0].type;
  const std::int64_t n = a.size(a.rank() - 1), count = n == 0 ? 0 : a.elements() / (n * n);
  for (std::int64_t i = 0; i < count; ++i) {
    if (a.dtype() == DType::f64)
      compute(double(), n, i);
    else
      compute(float(), n, i);
  }
}

template <class T>
std::vector<std::complex<T>> joined_parts(const HostCall& call, std::size_t real, std::int64_t begin,
                                          std::int64_t count) {
  const auto re = call.inputs[real].data<T>().subspan(begin, count),
             im = call.inputs[real + 1].data<T>().subspan(begin, count);
  std::vector<std::complex<T>> joined(count);
  for (std::int64_t i = 0; i < count; ++i) joined[i] = {re[i], im[i]};
  return joined;
}

template <class T>
void write_parts(const std::vector<std::complex<T>>& from, const HostCall& call, std::size_t real, std::int64_t begin) {
  const auto re = call.outputs[real].data<T>().subspan(begin), im = call.outputs[real + 1].data<T>().subspan(begin);
  for (std::size_t i = 0; i < from.size(); ++i) {
    re[i] = from[i].real();
    im[i] = from[i].imag();
  }
}

void compute_eig(const HostCall& call, bool with_vectors) {
  for_each_matrix(call, [&]<class T>(T, std::int64_t n, std::int64_t i) {
    std::vector<std::complex<T>> values(n), vectors(with_vectors ? n * n : 0);
    general_eigen(call.inputs[0].data<T>().data() + i * n * n, n, values.data(),
                  with_vectors ? vectors.data() : nullptr);
    write_parts(values, call, 0, i * n);
    if (with_vectors) write_parts(vectors, call, 2, i * n * n);
  });
}

}  // namespace

const CustomOp& eig_op() {
  static const CustomOp op = custom_op(
      "weft.eig", {.compute = [](const HostCall& call) { compute_eig(call, true); },
                   .types = [](std::span<const Type> inputs) { return eig_types(inputs, true); },
                   .gradient = [](const HostCall& call) {  // a, 4 results, 4 cotangents
                     for_each_matrix(call, [&]<class T>(T, std::int64_t n, std::int64_t i) {
                       const auto values = joined_parts<T>(call, 1, i * n, n),
                                  vectors = joined_parts<T>(call, 3, i * n * n, n * n);
                       const auto of_values = joined_parts<T>(call, 5, i * n, n),
                                  of_vectors = joined_parts<T>(call, 7, i * n * n, n * n);
                       general_eigen_gradient(values.data(), vectors.data(), n, of_values.data(), of_vectors.data(),
                                              call.outputs[0].data<T>().data() + i * n * n);
                     });
                   }});
  return op;
}

const CustomOp& eigvals_op() {
  static const CustomOp op = custom_op(
      "weft.eigvals", {.compute = [](const HostCall& call) { compute_eig(call, false); },
                       .types = [](std::span<const Type> inputs) { return eig_types(inputs, false); },
                       .gradient = [](const HostCall& call) {  // a, 2 results, 2 cotangents
                         for_each_matrix(call, [&]<class T>(T, std::int64_t n, std::int64_t i) {
                           std::vector<std::complex<T>> values(n), vectors(n * n);
                           general_eigen(call.inputs[0].data<T>().data() + i * n * n, n, values.data(), vectors.data());
                           const auto of_values = joined_parts<T>(call, 3, i * n, n);
                           const std::vector<std::complex<T>> none(n * n);
                           general_eigen_gradient(values.data(), vectors.data(), n, of_values.data(), none.data(),
                                                  call.outputs[0].data<T>().data() + i * n * n);
                         });
                       }});
  return op;
}

}  // namespace weft::detail
