// Uses the library as a stranger would: public headers only.
#include <s3gd/error.hpp>
#include <s3gd/matrix.hpp>

#include <iostream>
#include <limits>

int main() {
  s3gd::Matrix::own_dense<float>({1, 0, 0, 2, 3, 4}, 3, 2).check();
  try {
    s3gd::Matrix::own_dense<float>({1, std::numeric_limits<float>::quiet_NaN()}, 1, 2).check();
  } catch (const s3gd::Error& error) {
    std::cout << "refused: " << error.what() << '\n';
    return 0;
  }
  return 1;
}
