"""The rule by which a method's time to an accuracy is read off what was measured, and when to stop measuring.

A run is a list of (seconds, error) points in order of effort: the ladder of a rival, the trace of a solver that has
one. Its time to a target is the smallest time from which on every point is below the target: an error that dips below
and rises again does not count.
"""
import math

ACCURACIES = (1e-2, 1e-3, 1e-4, 1e-6, 1e-9)


def label(accuracy):
    return f"{accuracy:.0e}".replace("e-0", "e-")


def stay_below(points, target):
    """Seconds after which the error stays below the target; infinite when the last point is not below it."""
    best = math.inf
    for seconds, error in reversed(points):
        if not error <= target:  # also when it is not a number
            break
        best = min(best, seconds)
    return best


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if not ordered:
        return math.inf
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def median_times(runs, accuracies=ACCURACIES):
    """{accuracy label: median over the runs of the stay-below time}."""
    return {label(a): median([stay_below(points, a) for points in runs]) for a in accuracies}


def climb(ladder, run, enough=1e-9, budget=math.inf):
    """Runs efforts in rising order until one is below `enough`, takes longer than `budget` seconds, or stalls.

    run(effort) -> (seconds, error). A method has stalled when four efforts in a row gained nothing on the best error
    so far, and its time has grown fourfold meanwhile: its precision is used up.
    """
    points, best, best_at = [], math.inf, 0
    for effort in ladder:
        seconds, error = run(effort)
        points.append((seconds, error))
        if error < 0.7 * best:
            best, best_at = error, len(points) - 1
        if error <= enough or seconds > budget:
            break
        stalled = len(points) - 1 - best_at >= 4 and seconds > 4 * points[best_at][0]
        if stalled:
            break
    return points


def worth_repeating(times, best_times, factor=2.5):
    """Whether a rival is within `factor` of the best at some accuracy, so that its median can matter."""
    return any(times[a] <= factor * best_times[a] for a in times if math.isfinite(times[a]))
