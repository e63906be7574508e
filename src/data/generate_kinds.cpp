// The kinds of generated data.
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "base/random.hpp"
#include "data/assemble.hpp"
#include "data/generate.hpp"
#include "data/generator_parameters.hpp"

namespace s3gd {
namespace {

// Streams of the structure, apart from those of the rows 0, 1, 2, ..: numbers no row has.
Rng structure_stream(std::uint64_t seed, std::uint64_t part) { return Rng(seed, ~part); }
Rng column_stream(std::uint64_t seed, Index column) {
  return Rng(seed, (std::uint64_t{1} << 63) + static_cast<std::uint64_t>(column));
}
Rng pilot_stream(std::uint64_t seed, Index k) {
  return Rng(seed, (std::uint64_t{1} << 62) + static_cast<std::uint64_t>(k));
}

std::vector<double> normals(Rng rng, Index count, double scale) {
  std::vector<double> values(at(count));
  for (auto& value : values) value = scale * rng.normal();
  return values;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// What a `share` of pilot rows does not exceed; `margin_of(rng)` draws one of them.
template <class Margin>
double quantile(std::uint64_t seed, std::size_t rows, double share, Margin&& margin_of) {
  std::vector<double> margins(rows);
  for (std::size_t k = 0; k < rows; ++k) {
    Rng rng = pilot_stream(seed, static_cast<Index>(k));
    margins[k] = margin_of(rng);
  }
  const auto at = margins.begin() + std::lround(share * static_cast<double>(rows - 1));
  std::nth_element(margins.begin(), at, margins.end());
  return *at;
}

double root(Index count) { return std::sqrt(static_cast<double>(count)); }

class SeededGenerator : public RowGenerator {
 protected:
  explicit SeededGenerator(const GeneratorParameters& parameters, double most_noise = 1)
      : seed_(static_cast<std::uint64_t>(parameters.whole("seed", 0))), first_(parameters.whole("first", 0)) {
    shape_.rows = parameters.whole("rows", 1);
    shape_.cols = parameters.whole("cols", 1);
    shape_.row_entries = shape_.cols;
    noise_ = parameters.real("noise", 0, most_noise);
  }

  std::vector<double> true_weights(Index of_class) const override { return weights_.at(at(of_class)); }
  double true_intercept() const override { return intercept_; }

  Rng row_stream(Index i) const { return Rng(seed_, static_cast<std::uint64_t>(first_ + i)); }

  double as_label(Index which) const { return static_cast<double>(shape_.classes == 2 ? 2 * which - 1 : which); }
  // A share of the labels is drawn anew.
  void add_noise(Rng& rng, GeneratedRow& row) const {
    if (rng.uniform() < noise_) row.label = as_label(rng.below(shape_.classes));
  }

  // Every dense kind keeps a few vectors as long as a row.
  void hold_rows(Index count) const {
    require_memory(static_cast<double>(shape_.cols) * 8 * static_cast<double>(count), "a generator of such wide rows");
  }

  std::uint64_t seed_;
  Index first_;  // the number of the first row: others of the same rule, for a test set
  double noise_;
  std::vector<std::vector<double>> weights_;  // of the rule, for each class; sparse kinds make them as they are needed
  double intercept_ = 0;
};

// clusters x points on a curved surface: x = A [t, sin 2t] + thickness z, with t around one of the cluster centres. `tails`
// stretches what is far from zero, as measurements are, column by column: sinh(tails x sqrt(d)) / (tails sqrt(d)).
class Manifold final : public SeededGenerator {
 public:
  explicit Manifold(const GeneratorParameters& p)
      : SeededGenerator(p),
        spread_(p.real("spread", 0, 1e6)),
        thickness_(p.real("thickness", 0, 1e6)),
        tails_(p.real("tails", 0, 10)),
        dims_(p.whole("dims", 1)),
        clusters_(p.whole("clusters", 1)) {
    shape_.classes = p.whole("classes", 2);
    const auto vectors = product(2, dims_);
    hold_rows(vectors ? *vectors + shape_.classes : std::numeric_limits<Index>::max());
    require_memory(static_cast<double>(clusters_) * static_cast<double>(dims_) * 8, "that many clusters");
    for (Index k = 0; k < 2 * dims_; ++k)
      embedding_.push_back(normals(structure_stream(seed_, static_cast<std::uint64_t>(k)), shape_.cols,
                                   1 / std::sqrt(2.0 * static_cast<double>(dims_) * static_cast<double>(shape_.cols))));
    for (Index k = 0; k < (shape_.classes == 2 ? 1 : shape_.classes); ++k)
      weights_.push_back(normals(structure_stream(seed_, static_cast<std::uint64_t>(2 * dims_ + k)), shape_.cols, 1));
    Rng rng = structure_stream(seed_, static_cast<std::uint64_t>(2 * dims_ + shape_.classes));
    centres_.resize(at(clusters_ * dims_));
    for (auto& centre : centres_) centre = 4 * rng.uniform() - 2;
    const double ratio = p.real("ratio", 0, 1e9);
    if (shape_.classes != 2 || ratio == 0) return;
    positive_ = 1 / (1 + ratio);
    constexpr std::size_t kPilots = 20001;  // a few hundred of a class of one in a hundred
    GeneratedRow pilot;
    intercept_ = -quantile(seed_, kPilots, 1 - positive_, [&](Rng& draws) {
      draw(draws, pilot.values);
      return dot(weights_[0], pilot.values);
    });
  }

  void row(Index i, GeneratedRow& into) const override {
    Rng rng = row_stream(i);
    draw(rng, into.values);
    into.label = label_of(into.values);
    if (positive_ == 0)
      add_noise(rng, into);
    else if (rng.uniform() < noise_)  // drawn anew, each class as often as it is there
      into.label = as_label(rng.uniform() < positive_ ? 1 : 0);
  }

 private:
  void draw(Rng& rng, std::vector<double>& values) const {
    const auto cluster = rng.below(clusters_);
    values.assign(at(shape_.cols), 0.0);
    for (Index k = 0; k < dims_; ++k) {
      const double t = centres_[at(cluster * dims_ + k)] + spread_ * rng.normal();
      add(values, t, embedding_[at(2 * k)]);
      add(values, std::sin(2 * t), embedding_[at(2 * k + 1)]);
    }
    const double off = thickness_ / root(shape_.cols);
    for (auto& value : values) value += off * rng.normal();
    if (tails_ == 0) return;
    const double stretch = tails_ * root(shape_.cols);
    for (auto& value : values) value = std::sinh(stretch * value) / stretch;
  }

  static void add(std::vector<double>& to, double factor, const std::vector<double>& direction) {
    for (std::size_t j = 0; j < to.size(); ++j) to[j] += factor * direction[j];
  }

  double label_of(const std::vector<double>& x) const {
    if (shape_.classes == 2) return as_label(dot(weights_[0], x) + intercept_ > 0 ? 1 : 0);
    std::vector<double> margins;
    for (const auto& weights : weights_) margins.push_back(dot(weights, x));
    return as_label(std::max_element(margins.begin(), margins.end()) - margins.begin());
  }

  double spread_, thickness_, tails_;
  double positive_ = 0;  // the share of positive rows; 0: as the rule has it
  Index dims_, clusters_;
  std::vector<std::vector<double>> embedding_;
  std::vector<double> centres_;  // clusters x dims
};

// Rows like documents: words drawn by a power law over the columns, 1 + log(count), unit length. With `topics`, half of a row's
// words come from a power law of its topic, whose frequent words are others; with `counts`, they are histograms.
class Text final : public SeededGenerator {
 public:
  explicit Text(const GeneratorParameters& p)
      : SeededGenerator(p),
        exponent_(p.real("exponent", 0, 10)),
        length_(std::min(p.whole("nnz", 1), shape_.cols)),
        topics_(p.whole("topics", 0)),
        counts_(p.whole("counts", 0) > 0) {
    const double ratio = p.real("ratio", 1e-9, 1e9);
    shape_.sparse = true;
    shape_.row_entries = length_;
    require_memory(static_cast<double>(length_) * 100, "a generator of such long rows");
    GeneratedRow pilot;
    intercept_ = -quantile(seed_, 501, ratio / (1 + ratio), [&](Rng& rng) {
      draw_words(rng, pilot);
      return margin(pilot);
    });
  }

  void row(Index i, GeneratedRow& into) const override {
    Rng rng = row_stream(i);
    draw_words(rng, into);
    into.label = margin(into) + intercept_ > 0 ? 1 : -1;
    add_noise(rng, into);
  }

  std::vector<double> true_weights(Index) const override {
    std::vector<double> weights;
    for (Index j = 0; j < shape_.cols; ++j) weights.push_back(weight(j));
    return weights;
  }

 private:
  double weight(Index column) const { return column_stream(seed_, column).normal(); }

  double margin(const GeneratedRow& row) const {
    double sum = 0;
    for (std::size_t k = 0; k < row.columns.size(); ++k) sum += weight(row.columns[k]) * row.values[k];
    return sum;
  }

  // P(column j) ~ the integral of x^-exponent over [j + 1, j + 2].
  Index draw_column(Rng& rng, Index topic) const {
    const double top = static_cast<double>(shape_.cols) + 1, power = 1 - exponent_, u = rng.uniform();
    const double x =
        std::abs(power) < 1e-9 ? std::pow(top, u) : std::pow(1 + u * (std::pow(top, power) - 1), 1 / power);
    const Index column = std::clamp<Index>(static_cast<Index>(x) - 1, 0, shape_.cols - 1);
    const bool of_topic = topics_ > 0 && rng.uniform() < 0.5;
    return of_topic ? (column + (topic + 1) * (shape_.cols / (topics_ + 1))) % shape_.cols : column;
  }

  void draw_words(Rng& rng, GeneratedRow& into) const {
    const Index shortest = (length_ + 1) / 2;
    const Index wanted = std::min(shortest + rng.below(2 * (length_ - shortest) + 1), shape_.cols);
    const Index topic = topics_ > 0 ? rng.below(topics_) : 0;
    std::unordered_map<Index, int> counts;
    for (Index draws = 0; static_cast<Index>(counts.size()) < wanted && draws < 4 * wanted; ++draws)
      ++counts[draw_column(rng, topic)];
    into.columns.clear();
    for (const auto& entry : counts) into.columns.push_back(entry.first);
    std::sort(into.columns.begin(), into.columns.end());
    into.values.clear();
    for (const Index column : into.columns)
      into.values.push_back(counts_ ? counts[column] : 1 + std::log(counts[column]));
    const double length = std::sqrt(dot(into.values, into.values));
    for (auto& value : into.values) value /= length;
  }

  double exponent_;
  Index length_, topics_;
  bool counts_;
};

// x = R S z: eigenvalues of the covariance fall from 1/d to 1/(d condition); R is a reflection, so no axis shows it.
class IllConditioned final : public SeededGenerator {
 public:
  explicit IllConditioned(const GeneratorParameters& p) : SeededGenerator(p) {
    hold_rows(3);
    const double condition = p.real("condition", 1, 1e30);
    scales_.resize(at(shape_.cols));
    for (Index j = 0; j < shape_.cols; ++j) {
      const double place = shape_.cols == 1 ? 0 : static_cast<double>(j) / static_cast<double>(shape_.cols - 1);
      scales_[at(j)] = std::pow(condition, -0.5 * place) / root(shape_.cols);
    }
    mirror_ = normals(structure_stream(seed_, 0), shape_.cols, 1);
    const double length = std::sqrt(dot(mirror_, mirror_));
    for (auto& value : mirror_) value /= length;
    auto& weights = weights_.emplace_back(normals(structure_stream(seed_, 1), shape_.cols, 1 / root(shape_.cols)));
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] /= scales_[j];
    reflect(weights);
  }

  void row(Index i, GeneratedRow& into) const override {
    Rng rng = row_stream(i);
    into.values.resize(scales_.size());
    for (std::size_t j = 0; j < scales_.size(); ++j) into.values[j] = scales_[j] * rng.normal();
    reflect(into.values);
    into.label = dot(weights_[0], into.values) > 0 ? 1 : -1;
    add_noise(rng, into);
  }

 private:
  void reflect(std::vector<double>& x) const {
    const double twice = 2 * dot(mirror_, x);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] -= twice * mirror_[j];
  }

  std::vector<double> scales_, mirror_;
};

// Two normal clouds, `ratio` negative rows for each positive one: the log-odds are exactly linear in x.
class Imbalanced final : public SeededGenerator {
 public:
  explicit Imbalanced(const GeneratorParameters& p) : SeededGenerator(p), ratio_(p.real("ratio", 1e-9, 1e9)) {
    hold_rows(2);
    between_ = normals(structure_stream(seed_, 0), shape_.cols, 1);
    const double length = std::sqrt(dot(between_, between_));
    for (auto& value : between_) value *= p.real("separation", 0, 1e6) / length;
    auto& weights = weights_.emplace_back(between_);
    for (auto& weight : weights) weight *= root(shape_.cols);
    intercept_ = -std::log(ratio_);
  }

  void row(Index i, GeneratedRow& into) const override {
    Rng rng = row_stream(i);
    into.label = draw_label(rng);
    into.values.resize(between_.size());
    for (std::size_t j = 0; j < between_.size(); ++j)
      into.values[j] = (0.5 * into.label * between_[j] + rng.normal()) / root(shape_.cols);
    if (rng.uniform() < noise_) into.label = draw_label(rng);
  }

 private:
  double draw_label(Rng& rng) const { return rng.uniform() * (1 + ratio_) < 1 ? 1 : -1; }

  double ratio_;
  std::vector<double> between_;
};

// label = w'x + noise z with standard normal entries in a `density` share of the columns.
class Regression final : public SeededGenerator {
 public:
  explicit Regression(const GeneratorParameters& p)
      : SeededGenerator(p, 1e300), density_(p.real("density", 0, 1)), informative_(p.real("informative", 0, 1)) {
    shape_.label_kind = LabelKind::real;
    shape_.classes = 0;
    shape_.sparse = density_ < 1;
    const double entries = std::round(density_ * static_cast<double>(shape_.cols));
    shape_.row_entries = std::clamp<Index>(static_cast<Index>(entries), 1, shape_.cols);
    require_memory(static_cast<double>(shape_.row_entries) * 100, "a generator of such long rows");
    if (shape_.sparse) return;
    hold_rows(1);
    weights_.push_back(true_weights(0));
  }

  void row(Index i, GeneratedRow& into) const override {
    Rng rng = row_stream(i);
    if (shape_.sparse) draw_columns(rng, into.columns);
    into.values.resize(at(shape_.row_entries));
    into.label = 0;
    for (std::size_t k = 0; k < into.values.size(); ++k) {
      into.values[k] = rng.normal();
      into.label += into.values[k] * (shape_.sparse ? weight(into.columns[k]) : weights_[0][k]);
    }
    into.label += noise_ * rng.normal();
  }

  std::vector<double> true_weights(Index) const override {
    std::vector<double> weights;
    for (Index j = 0; j < shape_.cols; ++j) weights.push_back(weight(j));
    return weights;
  }

 private:
  // Scaled so that w'x has about unit variance.
  double weight(Index column) const {
    Rng rng = column_stream(seed_, column);
    if (rng.uniform() >= informative_) return 0;
    return rng.normal() / std::sqrt(std::max(1.0, informative_ * static_cast<double>(shape_.row_entries)));
  }

  // Floyd's sample without replacement: as many draws as columns wanted.
  void draw_columns(Rng& rng, std::vector<Index>& columns) const {
    std::unordered_set<Index> chosen;
    for (Index j = shape_.cols - shape_.row_entries; j < shape_.cols; ++j) {
      const Index candidate = rng.below(j + 1);
      chosen.insert(chosen.contains(candidate) ? j : candidate);
    }
    columns.assign(chosen.begin(), chosen.end());
    std::sort(columns.begin(), columns.end());
  }

  double density_, informative_;
};

template <class Kind>
std::unique_ptr<const RowGenerator> make(const GeneratorParameters& parameters) {
  return std::make_unique<const Kind>(parameters);
}

struct GeneratorEntry {
  GeneratorKind kind;
  std::unique_ptr<const RowGenerator> (*make)(const GeneratorParameters&);
};
const std::vector<GeneratorEntry>& generator_table() {
  static const std::vector<GeneratorEntry> table{
      {{"manifold",
        "clusters on a low-dimensional curved surface, `tails` stretched; `ratio` negative rows for each positive one; "
        "dense",
        "rows=10000 cols=50 seed=0 first=0 noise=0.05 clusters=20 dims=3 spread=0.1 thickness=0.05 classes=2 tails=0 "
        "ratio=0"},
       make<Manifold>},
      {{"text", "sparse rows of unit length, columns by a power law; `ratio` negative rows for each positive one",
        "rows=10000 cols=20000 seed=0 first=0 noise=0.05 nnz=50 exponent=1.1 ratio=1 topics=0 counts=0"},
       make<Text>},
      {{"ill", "ill-conditioned dense rows: the covariance has the given condition number",
        "rows=10000 cols=50 seed=0 first=0 noise=0.05 condition=10000"},
       make<IllConditioned>},
      {{"imbalanced", "two normal clouds, `ratio` negative rows for each positive one; dense",
        "rows=10000 cols=20 seed=0 first=0 noise=0 ratio=20 separation=3"},
       make<Imbalanced>},
      {{"regression", "real labels from a linear rule; sparse when density is below 1",
        "rows=10000 cols=50 seed=0 first=0 noise=0.1 density=1 informative=1"},
       make<Regression>},
  };
  return table;
}

}  // namespace

std::vector<GeneratorKind> generator_kinds() {
  std::vector<GeneratorKind> kinds;
  for (const auto& entry : generator_table()) kinds.push_back(entry.kind);
  return kinds;
}

std::unique_ptr<const RowGenerator> RowGenerator::from_spec(const std::string& spec) {
  if (!is_generated(spec)) throw Error({spec}, "no 'gen:' in front", "gen:KIND?rows=..&cols=..");
  const std::string name = spec.substr(4, spec.find('?') == std::string::npos ? spec.npos : spec.find('?') - 4);
  std::vector<std::string> names;
  for (const auto& entry : generator_table()) {
    if (entry.kind.name == name) return entry.make(GeneratorParameters(spec, entry.kind));
    names.push_back(entry.kind.name);
  }
  throw Error({spec}, "the kind '" + name + "'", "a kind of generated data", suggestion(name, names));
}

}  // namespace s3gd
