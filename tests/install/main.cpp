#include <weft/base/dtype.h>

#include <iostream>

int main() { std::cout << weft::name(weft::DType::f32) << "\n"; }
