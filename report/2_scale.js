// From values to pixels.

// Round numbers that span [low, high]; on a logarithmic axis powers of ten, and their parts where there are few.
function ticks(low, high, log, count) {
  const found = [];
  if (log) {
    const decades = Math.log10(high / low);
    const every = Math.max(1, Math.ceil(decades / (count + 1)));
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
      for (const part of [1, 2, 5]) {
        const value = part * 10 ** power;
        const wanted = part === 1 ? power % every === 0 : decades < (part === 5 ? 1.2 : 2);
        if (wanted && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push(value);
      }
    if (found.length > 1) return found;
    found.length = 0;  // less than a decade: as on a linear axis
  }
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = power;
  for (const part of [2, 5, 10]) if (step < 0.7 * rough) step = part * power;
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) found.push(k * step + 0);
  return found;
}

// A logarithmic axis with a floor shows what is lower, or not positive, there.
function lifted(value, log, floor) {
  return log && floor > 0 && value !== null && value < floor ? floor : value;
}

// place(value) in pixels between from (low) and to (high).
function makeScale(low, high, log, from, to, floor = 0) {
  if (!(low <= high)) [low, high] = log ? [0.1, 1] : [0, 1];
  if (low === high) {
    const room = log ? 0 : Math.max(0.5, Math.abs(low) / 2);
    [low, high] = log ? [low / 2, high * 2] : [low - room, high + room];
  }
  const share = log
    ? (value) => Math.log(value / low) / Math.log(high / low)
    : (value) => (value - low) / (high - low);
  const shows = (value) =>
    value !== null && value !== undefined && Number.isFinite(value) && (!log || lifted(value, log, floor) > 0);
  return {
    low, high, log, floor, shows,
    holds: (value) => shows(value) && value >= low && value <= high,
    place: (value) => from + share(lifted(value, log, floor)) * (to - from),
    invert: (pixel) => {
      const part = (pixel - from) / (to - from);
      return log ? low * (high / low) ** part : low + part * (high - low);
    },
  };
}

function rangeOf(values, log) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value === null || value === undefined || !Number.isFinite(value) || (log && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

// Clocks start at zero, which a logarithmic axis has no place for: there, the first instants are left out.
function acrossRange(values, log) {
  const [low, high] = rangeOf(values, log);
  const startsAtZero = log && rangeOf(values, false)[0] <= 0;
  return [startsAtZero ? Math.max(low, high / 3000) : low, high];
}

// The range of the curves without what runs away: a curve that explodes must not flatten all the others.
function tameRange(values, log) {
  const [low, high] = rangeOf(values, log);
  const finite = values.filter((value) => value !== null && Number.isFinite(value) && (!log || value > 0));
  if (finite.length < 20) return [low, high];
  finite.sort((a, b) => a - b);
  const most = finite[Math.floor(0.97 * (finite.length - 1))];
  const runsAway = log ? high / most > 1e4 : high - low > 8 * (most - low) && most > low;
  return [low, runsAway ? (log ? most * 10 : low + 1.5 * (most - low)) : high];
}
