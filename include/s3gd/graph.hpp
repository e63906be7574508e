// The anchor-sample graph (Algorithm 2 of the paper): m anchor rows, and for every row its k nearest anchors with
// Gaussian weights that sum to 1.
//
// It depends on the rows alone, not on labels, loss, penalty or lambda, so one graph serves a whole path, every fold
// and every class. Cost to build: k-means on a sample, then one (rows x anchors) product; memory n * k pairs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "s3gd/matrix.hpp"

namespace s3gd {

// paper:  sigma = max(1e-4, min_j sqrt(||x - z_j||)) as printed; changes with the scale of the features.
// scaled: sigma^2 = min_j ||x - z_j||^2; invariant to scale.
enum class Kernel : std::uint8_t { paper, scaled };

// When S3GD finds the neighbours of a row. streaming: when the row is first visited; full: of all rows before the
// first step.
enum class GraphMode : std::uint8_t { streaming, full };

// How much of the propagated slope S3GD subtracts. adaptive: the share that left least variance in past batches;
// paper: all of it.
enum class ControlMode : std::uint8_t { adaptive, paper };

// What S3GD knows of a row beside its anchors' slopes and its label. constant: nothing, as in the paper; linear: its margin
// at a reference point, renewed now and then; slope: its slope there. automatic: slope.
enum class Propagation : std::uint8_t { automatic, constant, linear, slope };

struct GraphOptions {
  Index anchors = 100;   // capped at the number of distinct rows
  Index neighbours = 5;  // capped at the number of anchors
  Kernel kernel = Kernel::paper;
  Index sample_per_anchor = 20;  // rows used by k-means = this * anchors (0 = all rows)
  Index rounds = 5;              // k-means rounds at most
  std::uint64_t seed = 0;
  int threads = 0;
};

struct Graph {
  GraphOptions options;            // as used (anchors and neighbours after capping)
  std::vector<Index> anchor_rows;  // which rows are anchors; distinct rows with distinct contents
  Array<std::int32_t> neighbours;  // rows x k, nearest first
  Array<float> gammas;             // rows x k, each row sums to 1
  double seconds = 0;              // wall time it took

  Index anchors() const { return static_cast<Index>(anchor_rows.size()); }
  Index neighbours_per_row() const { return options.neighbours; }
  Index rows() const { return options.neighbours == 0 ? 0 : neighbours.size() / options.neighbours; }
};

Graph build_graph(const Matrix& x, const GraphOptions& options = {});

// A binary file, checksummed, tied to the data it was built from: loading it for other rows is an error.
void save_graph(const Graph& graph, const Matrix& x, const std::string& path);
Graph load_graph(const std::string& path, const Matrix& x);

// 64-bit checksum of the rows' values, the same for any layout that holds the same numbers in the same precision.
std::uint64_t checksum(const Matrix& x, int threads = 0);

}  // namespace s3gd
