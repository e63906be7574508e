#include "anchor/streaming_graph.hpp"

#include "anchor/anchors.hpp"
#include "base/index.hpp"
#include "base/threads.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 64;  // a unit of work for a thread
// Anchors are needed before the first step: a smaller sample and fewer rounds than for a graph built at leisure.
constexpr Index kMostSamplePerAnchor = 10;
constexpr Index kMostRounds = 3;

}  // namespace

StreamingGraph::StreamingGraph(const Matrix& x, const GraphOptions& options) : x_(x), options_(options) {
  check_graph_options(x, options);
  options_.rounds = std::min(options.rounds, kMostRounds);
  if (options.sample_per_anchor == 0 || options.sample_per_anchor > kMostSamplePerAnchor)
    options_.sample_per_anchor = kMostSamplePerAnchor;
}

Index StreamingGraph::sample_size(Index anchors) const {
  return anchors >= x_.rows() / options_.sample_per_anchor ? x_.rows() : options_.sample_per_anchor * anchors;
}

void StreamingGraph::choose(std::span<const Index> sample, Index anchors) {
  const Matrix rows = gather_rows(x_, sample, options_.threads);
  mostly_zeros_ = compares_as_sparse(rows);
  GraphOptions options = options_;
  options.anchors = anchors;
  const auto places = choose_anchors(mostly_zeros_ ? as_sparse(rows, options_.threads) : rows, options);
  anchor_rows_.clear();
  for (const Index place : places) anchor_rows_.push_back(sample[at(place)]);
  neighbours_ = GrowBuffer<std::int32_t>();
  gammas_ = GrowBuffer<float>();
  per_row_ = std::min(options_.neighbours, this->anchors());
  place_anchors();
  if (this->anchors() == 1) return;
  neighbours_.resize(x_.rows() * per_row_);
  gammas_.resize(x_.rows() * per_row_);
}

void StreamingGraph::place_anchors() {
  points_.reset();
  if (anchors() > 1) points_ = points_of(x_, anchor_rows_);
}

void StreamingGraph::state(Archive& a) {
  a(anchor_rows_, mostly_zeros_, per_row_, neighbours_, gammas_);
  if (a.reading()) place_anchors();
}

void StreamingGraph::add(std::span<const Index> rows) {
  if (anchors() == 1) return;
  parallel_ranges(static_cast<Index>(rows.size()), kRowsPerChunk, options_.threads, [&](Index begin, Index end, Index) {
    const auto chunk = rows.subspan(at(begin), at(end - begin));
    Matrix block = gather_rows(x_, chunk, 1);
    if (mostly_zeros_) block = as_sparse(block, 1);
    std::vector<std::int32_t> neighbours(chunk.size() * at(per_row_));
    std::vector<float> gammas(neighbours.size());
    find_neighbours(block, 0, block.rows(), *points_, per_row_, options_.kernel, neighbours.data(), gammas.data());
    for (std::size_t r = 0; r < chunk.size(); ++r) {
      const auto from = static_cast<std::ptrdiff_t>(r) * per_row_;
      std::copy_n(neighbours.begin() + from, per_row_, neighbours_.data() + chunk[r] * per_row_);
      std::copy_n(gammas.begin() + from, per_row_, gammas_.data() + chunk[r] * per_row_);
    }
  });
}

Edges StreamingGraph::edges() const {
  if (anchors() == 1) return {};
  return {neighbours_.data(), gammas_.data(), per_row_};
}

Graph StreamingGraph::graph() const {
  Graph graph;
  graph.options = options_;
  graph.options.anchors = anchors();
  graph.options.neighbours = per_row_;
  graph.anchor_rows = anchor_rows_;
  const auto size = at(x_.rows() * per_row_);
  std::vector<std::int32_t> neighbours(size, 0);
  std::vector<float> gammas(size, 1.0F);
  if (anchors() > 1) {
    std::copy_n(neighbours_.data(), size, neighbours.begin());
    std::copy_n(gammas_.data(), size, gammas.begin());
  }
  graph.neighbours = Array<std::int32_t>(std::move(neighbours));
  graph.gammas = Array<float>(std::move(gammas));
  return graph;
}

}  // namespace s3gd
