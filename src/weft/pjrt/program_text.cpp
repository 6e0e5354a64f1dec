#include <weft/pjrt/program_text.h>

#include <algorithm>
#include <string_view>

#include <weft/base/error.h>

namespace weft::pjrt {

namespace {

bool is_complex(const ir::Port& port) { return port.is_complex; }

// Lists values or types, separated by commas.
class List {
 public:
  void add(const auto&... parts) { text_ += concat(text_.empty() ? "" : ", ", parts...); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::string with_complex_ports(const std::string& module, const std::vector<ir::Port>& inputs,
                               const std::vector<ir::Port>& outputs) {
  if (std::ranges::none_of(inputs, is_complex) && std::ranges::none_of(outputs, is_complex)) return module;
  constexpr std::string_view before_name = "func.func public @";
  const std::size_t function = module.find(before_name), name_at = function + before_name.size();
  if (function == module.npos) return module;
  const std::string name = module.substr(name_at, module.find('(', name_at) - name_at), parts = name + ".parts";

  List arguments, argument_types, called, called_types, result_types, returned;
  std::string before, after;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ir::Port& port = inputs[i];
    arguments.add("%arg", i, ": ", port);
    if (port.is_complex)
      for (const char* part : {"real", "imag"}) {
        before += concat("    %", part, i, " = stablehlo.", part, " %arg", i, " : (", port, ") -> ", port.part, "\n");
        called.add('%', part, i);
        called_types.add(port.part);
      }
    else {
      called.add("%arg", i);
      called_types.add(port.part);
    }
  }
  List part_types;
  std::size_t part = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const ir::Port& port = outputs[i];
    result_types.add(port);
    for (std::size_t j = 0; j < port.count(); ++j) part_types.add(port.part);
    if (port.is_complex) {
      after +=
          concat("    %complex", i, " = stablehlo.complex %parts#", part, ", %parts#", part + 1, " : ", port, "\n");
      returned.add("%complex", i);
    } else {
      returned.add("%parts#", part);
    }
    part += port.count();
  }
  const std::string call = concat("    ", part > 0 ? concat("%parts:", part, " = ") : "", "func.call @", parts, '(',
                                  called.text(), ") : (", called_types.text(), ") -> (", part_types.text(), ")\n");
  const std::string wrapper =
      concat("func.func public @", name, '(', arguments.text(), ") -> (", result_types.text(), ") {\n", before, call,
             after, "    return ", returned.text(), part > 0 ? concat(" : ", result_types.text()) : "", "\n  }\n  ");
  std::string text = module;
  return text.replace(function, name_at - function + name.size(), concat(wrapper, "func.func private @", parts));
}

}  // namespace weft::pjrt
