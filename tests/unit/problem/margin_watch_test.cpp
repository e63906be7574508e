#include "data/checks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "problem/full_pass.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kRows = 400, kCols = 19;  // columns that no vector divides

template <class T>
class MarginWatchTest : public testing::Test {
 protected:
  MarginWatchTest() : values_(kRows * kCols), labels_(kRows) {
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = static_cast<T>(std::sin(static_cast<double>(k)));
    for (std::size_t i = 0; i < labels_.size(); ++i) labels_[i] = static_cast<double>(i % 2);
    data_.x = Matrix::borrow(DenseView<T>{values_.data(), kRows, kCols, kCols});
    data_.y.kind = LabelKind::classes;
    data_.y.values = Array<double>::borrow(labels_);
    data_.verifier = watch_ = std::make_shared<MarginWatch>(data_.x);
  }

  void pass(const std::vector<Index>& rows, Arithmetic arithmetic, double weight) const {
    const Problem problem(data_, {});
    std::vector<double> w(kCols + 1, weight), gradient(kCols + 1);
    sum_rows(problem, rows, w, arithmetic, gradient);
  }

  std::vector<T> values_;
  std::vector<double> labels_;
  Dataset data_;
  std::shared_ptr<const MarginWatch> watch_;
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MarginWatchTest, Types);

TYPED_TEST(MarginWatchTest, APassOverAllRowsFindsWhatALookAtEveryValueFinds) {
  for (const Index row : {Index{0}, Index{77}, kRows - 1})
    for (Index col = 0; col < kCols; ++col)
      for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
        for (const Arithmetic arithmetic : {Arithmetic::data, Arithmetic::exact})
          for (const double weight : {0.0, 0.5, -1e30}) {
            TypeParam& value = this->values_[static_cast<std::size_t>(row * kCols + col)];
            const TypeParam kept = std::exchange(value, static_cast<TypeParam>(bad));
            EXPECT_THROW(this->data_.x.check(), Error);
            EXPECT_THROW(this->pass({}, arithmetic, weight), Error) << row << " " << col << " " << bad << " " << weight;
            value = kept;
          }
  this->pass({}, Arithmetic::exact, 0.5);
}

TYPED_TEST(MarginWatchTest, SomeRowsShowNothingOfTheOthers) {
  this->values_[77 * kCols] = std::numeric_limits<TypeParam>::quiet_NaN();
  this->pass({1, 2, 3}, Arithmetic::exact, 0.5);
  EXPECT_THROW(this->pass({76, 77}, Arithmetic::exact, 0.5), Error);
  EXPECT_THROW(this->watch_->insist(1), Error);
}

TYPED_TEST(MarginWatchTest, MarginsThatAreNotFiniteForOtherReasonsAreNoReasonToRefuse) {
  this->pass({}, Arithmetic::exact, std::nan(""));
  this->pass({}, Arithmetic::data, 1e300);
}

TYPED_TEST(MarginWatchTest, WhatWasSeenOnceIsNotLookedAtAgain) {
  this->pass({}, Arithmetic::exact, 0.5);
  this->values_[0] = std::numeric_limits<TypeParam>::infinity();  // nobody does that to rows in use
  this->watch_->insist(1);
}

}  // namespace
}  // namespace s3gd
