// Parallel loops whose results do not depend on the number of threads.
//
// Work is cut into chunks whose borders depend on the size of the problem alone; threads take chunks as they come,
// and sums over chunks are added in chunk order by the caller. One pool serves the whole process; any number of
// threads may call parallel_for at once, and a nested call runs in its caller's thread.
#pragma once

#include <functional>

#include "s3gd/matrix.hpp"

namespace s3gd {

// 0 = all of the machine's (at least 1). Negative throws.
int resolve_threads(int requested);

// Calls body(chunk) for chunk = 0 .. chunks-1 on up to `threads` threads and returns when all are done. When bodies
// throw, the exception of the lowest chunk is rethrown.
void parallel_for(Index chunks, int threads, const std::function<void(Index chunk)>& body);

// Cuts [0, count) into chunks of `chunk_size` and calls body(begin, end, chunk).
void parallel_ranges(Index count, Index chunk_size, int threads,
                     const std::function<void(Index begin, Index end, Index chunk)>& body);

}  // namespace s3gd
