#include <cstdio>

int main() {
  std::puts("s3gd " S3GD_VERSION);
  return 0;
}
