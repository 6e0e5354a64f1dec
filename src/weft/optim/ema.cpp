#include <weft/optim/ema.h>

#include <utility>

#include <weft/record/call.h>
#include <weft/record/call_error.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

EMA::EMA(const std::vector<NamedParameter>& parameters, EMAOptions options)
    : options_(std::move(options)), steps_(zeros({}, DType::i64)) {
  require(options_.decay >= 0 && options_.decay <= 1, "EMA: decay must lie in [0, 1], got ", options_.decay);
  for (const NamedParameter& named : parameters) {
    if (!named.parameter->requires_grad || !is_float(named.parameter->dtype())) continue;
    const Tensor& value = named.parameter->tensor();
    const DType dtype = byte_size(value.dtype()) == 2 ? DType::f32 : value.dtype();
    Parameter average(zeros(value.shape(), dtype));
    average.saved_pieces = named.parameter->saved_pieces;
    average.unobserved().impl().takes_layout_of(named.parameter->unobserved().impl());
    averages_.push_back({named.name, ParameterRef(*named.parameter), std::move(average), {}});
  }
  require(!averages_.empty(), "EMA: the model has no parameters that require gradients");
}

Parameter& EMA::parameter_of(const Average& average, const char* function) const {
  Parameter* const parameter = average.parameter.get();
  record::require_call(parameter != nullptr, function, average.name,
                       " was destroyed: the model of this EMA no longer exists; keep it as long as the EMA is used");
  return *parameter;
}

void EMA::update(std::source_location where) {
  const record::Call call("EMA.update", where);
  call.require(!is_applied_, "the model has the averages; call swap first");
  const Tensor decay = full({}, options_.decay, DType::f64), one = constant(1, DType::f64);
  const Tensor is_first = steps_.tensor() == constant(0, DType::i64);
  const Tensor weight = weft::where(is_first, one, one - decay);
  for (Average& average : averages_) {
    const Tensor value = parameter_of(average, call.function()).tensor().to(average.value.dtype());
    average.value = stop_gradient(lerp(average.value, value, weight.to(average.value.dtype())));
  }
  steps_ = steps_.tensor() + constant(1, DType::i64);
}

void EMA::swap(std::source_location where) {
  const record::Call call("EMA.swap", where);
  const Tensor has_updates = steps_.tensor() > constant(0, DType::i64);
  for (Average& average : averages_) {
    Parameter& parameter = parameter_of(average, call.function());
    if (is_applied_) {
      parameter = std::exchange(average.own, {});
    } else {
      average.own = parameter.tensor();
      parameter = weft::where(has_updates, average.value.tensor().to(parameter.dtype()), average.own);
    }
  }
  is_applied_ = !is_applied_;
}

}  // namespace weft::optim
