// A product of booleans is true where any of the products that it adds is.
// RUN: weft run %s --entry main --interpret
func.func @main() {
  %x = stablehlo.constant dense<[[true, true, false]]> : tensor<1x3xi1>
  %y = stablehlo.constant dense<[[true, false], [true, false], [true, true]]> : tensor<3x2xi1>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x3xi1>, tensor<3x2xi1>) -> tensor<1x2xi1>
  %1 = stablehlo.constant dense<[[true, false]]> : tensor<1x2xi1>
  "check.expect_eq"(%0, %1) : (tensor<1x2xi1>, tensor<1x2xi1>) -> ()
  return
}
