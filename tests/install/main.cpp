#include <iostream>

#include <weft/base/dtype.h>

int main() { std::cout << weft::name(weft::DType::f32) << "\n"; }
