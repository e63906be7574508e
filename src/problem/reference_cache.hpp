// Optima kept in a folder by the content of the problem: rows, targets, weights, loss, penalty and intercept.
//
// A stored optimum is only a point: it is certified anew on the problem at hand when it is loaded (one pass), so a file
// of the wrong problem, a damaged or a truncated one is at worst useless, and is then ignored.
#pragma once

#include "s3gd/problem.hpp"

namespace s3gd {

class ReferenceCache {
 public:
  ReferenceCache(const Problem& problem, const std::string& folder);

  std::optional<Optimum> load() const;
  void store(const Optimum& optimum) const;  // creates the folder; whole files only
  const std::string& path() const { return path_; }

 private:
  const Problem& problem_;
  std::string path_;
};

}  // namespace s3gd
