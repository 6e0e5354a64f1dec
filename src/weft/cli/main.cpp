#include <cstdio>

int main() {
  std::fputs("usage: weft COMMAND [OPTIONS]\n", stderr);
  return 2;
}
