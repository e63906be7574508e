// One figure as SVG: axes, bands, curves, markers.

const SVG = "http://www.w3.org/2000/svg";
const STYLES = JSON.parse(document.getElementById("styles").textContent);
const MARKER_EVERY = 84;
const DOT_EVERY = 9;
const MARKER_SIZE = 3.6;

function make(name, attributes = {}, text = null) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== null) element.textContent = text;
  return element;
}

function styleOf(series) {
  const [colour, dashes, marker] = STYLES[series.style] || STYLES[0];
  return { colour, dashes, marker };
}

const SMOOTH_OVER = 4;  // looks on either side

// Each value by the mean of those around it; a gap stays one.
function smoothed(values) {
  return values.map((value, k) => {
    if (value === null) return null;
    const around = values.slice(Math.max(0, k - SMOOTH_OVER), k + SMOOTH_OVER + 1).filter((one) => one !== null);
    return around.reduce((sum, one) => sum + one, 0) / around.length;
  });
}

// The curves that have both axes, with x less what the reader leaves out.
function chosenCurves(figure, view) {
  const curves = [];
  for (const series of figure.series) {
    const x = series.x[view.x], y = series.y[view.y];
    if (!x || !y) continue;
    const off = view.before ? 0 : series.before[view.x] || 0;
    const [middle, low = null, high = null] = view.smooth && !series.dots ? y.map(smoothed) : y;
    curves.push({
      series, name: series.name, middle, low, high,
      x: off ? x.map((value) => (value === null ? null : value - off)) : x,
    });
  }
  return curves;
}

function pathOf(points) {
  let way = "", down = false;
  for (const point of points) {
    if (!point) {
      down = false;
      continue;
    }
    way += (down ? "L" : "M") + point[0].toFixed(1) + " " + point[1].toFixed(1);
    down = true;
  }
  return way;
}

function drawBand(curve, x, y, layer) {
  if (!curve.low || curve.series.quiet) return;
  const inside = (value) => y.place(y.shows(value) ? Math.max(value, y.low) : y.low);
  const there = [], back = [];
  for (let k = 0; k < curve.x.length; ++k) {
    if (!x.holds(curve.x[k]) || !y.shows(curve.middle[k])) continue;
    there.push([x.place(curve.x[k]), inside(curve.high[k])]);
    back.push([x.place(curve.x[k]), inside(curve.low[k])]);
  }
  if (there.length < 2) return;
  layer.append(make("path", { class: "band", d: pathOf(there.concat(back.reverse())) + "Z", fill: styleOf(curve.series).colour }));
}

function drawMarker(style, x, y, layer) {
  layer.append(make("path", { class: "marker", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${MARKER_SIZE})`,
    d: style.marker, fill: style.colour }));
}

// Markers at even distances, at others for each curve, so that curves that meet can still be told apart.
function drawMarkers(curve, points, layer) {
  const style = styleOf(curve.series);
  const every = curve.series.dots ? DOT_EVERY : MARKER_EVERY;
  let next = curve.series.dots ? 0 : MARKER_EVERY * (0.15 + (curve.series.style * 0.381966) % 1 * 0.85), from = null;
  for (const point of points) {
    if (!point) continue;
    if (!from) from = point;
    if (Math.hypot(point[0] - from[0], point[1] - from[1]) < next) continue;
    drawMarker(style, point[0], point[1], layer);
    [from, next] = [point, every];
  }
}

// A gap stays one.
function lowestSoFar(values) {
  let lowest = Infinity;
  return values.map((value) => (value === null ? null : (lowest = Math.min(lowest, value))));
}

// Distances from the optimum (an axis with a floor) come down noisily: the line is the lowest so far, faint what was seen.
function drawCurve(curve, x, y, plot) {
  const quiet = curve.series.quiet;
  const layer = make("g", { class: quiet ? "curve quiet" : "curve", "data-name": curve.name });
  const placed = (values) => curve.x.map((value, k) =>
    x.holds(value) && y.shows(values[k]) ? [x.place(value), y.place(values[k])] : null);
  const points = placed(curve.middle), drawn = y.floor > 0 && !quiet ? placed(lowestSoFar(curve.middle)) : points;
  drawBand(curve, x, y, layer);
  if (drawn !== points) layer.append(make("path", { class: "seen", d: pathOf(points), stroke: styleOf(curve.series).colour }));
  const attributes = { class: "line", d: pathOf(drawn) };
  if (!quiet) {
    const style = styleOf(curve.series);
    attributes.stroke = style.colour;
    if (style.dashes) attributes["stroke-dasharray"] = style.dashes;
  }
  layer.append(make("path", attributes));
  if (!quiet) drawMarkers(curve, drawn, layer);
  plot.append(layer);
  return { curve, layer, points };
}

function drawAxes(svg, frame, x, y, xAxis, yAxis) {
  const axes = make("g", { class: "axes", "aria-hidden": "true" });
  for (const tick of frame.yTicks) {
    const at = y.place(tick);
    axes.append(make("path", { class: "rule", d: `M${frame.left} ${at.toFixed(1)}H${frame.right}` }));
    axes.append(make("text", { x: frame.left - 8, y: (at + 4).toFixed(1), "text-anchor": "end" }, showTick(tick)));
  }
  let room = -Infinity;
  for (const tick of ticks(x.low, x.high, x.log, Math.max(2, Math.floor((frame.right - frame.left) / 80)))
    .map((value) => [x.place(value), value]).sort((a, b) => a[0] - b[0])) {
    axes.append(make("path", { class: "tick", d: `M${tick[0].toFixed(1)} ${frame.bottom}v5` }));
    const text = showTick(tick[1]), half = 3.6 * text.length;
    if (tick[0] - half < room) continue;
    axes.append(make("text", { x: tick[0].toFixed(1), y: frame.bottom + 19, "text-anchor": "middle" }, text));
    room = tick[0] + half + 8;
  }
  axes.append(make("path", { class: "base", d: `M${frame.left} ${frame.bottom}H${frame.right}` }));
  axes.append(make("text", { class: "name", x: 0, y: 13 }, yAxis.label));
  axes.append(make("text", { class: "name", x: frame.right, y: frame.bottom + 38, "text-anchor": "end" }, xAxis.label));
  svg.append(axes);
}

function drawMarks(svg, figure, view, frame, x) {
  let row = frame.top + 12;
  for (const mark of figure.marks) {
    if (mark.level || (mark.axis && mark.axis !== view.x) || !x.holds(mark.at)) continue;
    const at = x.place(mark.at), left = at > 0.6 * frame.right;
    const layer = make("g", { class: "mark" });
    layer.append(make("path", { d: `M${at.toFixed(1)} ${frame.top}V${frame.bottom}` }));
    layer.append(make("text", { x: at + (left ? -6 : 6), y: row, "text-anchor": left ? "end" : "start" }, mark.text));
    svg.append(layer);
    row += 17;
  }
}

// Values of y that matter, such as the target.
function drawLevels(svg, figure, view, frame, y) {
  for (const mark of figure.marks) {
    if (!mark.level || (mark.axis && mark.axis !== view.y) || !y.holds(mark.at)) continue;
    const at = y.place(mark.at), layer = make("g", { class: "mark level" });
    layer.append(make("path", { d: `M${frame.left} ${at.toFixed(1)}H${frame.right}` }));
    layer.append(make("text", { x: frame.left + 4, y: (at - 5).toFixed(1) }, mark.text));
    svg.append(layer);
  }
}

let clips = 0;

// Draws into `svg` (emptied first); returns what pointing at it needs: scales, frame, curves.
function drawChart(svg, figure, view, width) {
  const height = Math.round(Math.min(380, Math.max(250, 0.62 * width)));
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const curves = chosenCurves(figure, view);
  const xAxis = figure.x.find((axis) => axis.key === view.x), yAxis = figure.y.find((axis) => axis.key === view.y);
  if (!xAxis || !yAxis || curves.length === 0) {
    svg.append(make("text", { class: "name", x: width / 2, y: height / 2, "text-anchor": "middle" }, "not measured here"));
    return null;
  }
  const xLog = view.log[xAxis.key], yLog = view.log[yAxis.key];
  const [xLow, xHigh] = acrossRange(curves.flatMap((curve) => curve.x), xLog);
  let [yLow, yHigh] = tameRange(curves.flatMap((curve) => curve.middle).map((value) => lifted(value, yLog, yAxis.floor)), yLog);
  if (!yLog && yLow < yHigh) {
    const [low, high] = rangeOf(curves.flatMap((curve) => (curve.low || []).concat(curve.high || [])), false);
    if (curves.length === 1 && low <= high) [yLow, yHigh] = [Math.min(yLow, low), Math.max(yHigh, high)];
    const room = 0.04 * (yHigh - yLow);
    if (yLow !== 0) yLow -= room;
    yHigh += room;
  }
  const frame = { top: 26, bottom: height - 46, right: width - 10, left: 0, width, height };
  const y = makeScale(yLow, yHigh, yLog, frame.bottom, frame.top, yAxis.floor);
  frame.yTicks = ticks(y.low, y.high, yLog, Math.max(3, Math.floor((frame.bottom - frame.top) / 48)));
  frame.left = 16 + Math.ceil(7 * Math.max(2, ...frame.yTicks.map((tick) => showTick(tick).length)));
  const [from, to] = xAxis.falling ? [frame.right, frame.left] : [frame.left, frame.right];
  const x = makeScale(xLow, xHigh, xLog, from, to);

  drawAxes(svg, frame, x, y, xAxis, yAxis);
  const id = `clip-${++clips}`, clip = make("clipPath", { id });
  clip.append(make("rect", { x: frame.left - 5, y: frame.top - 5, width: frame.right - frame.left + 10,
    height: frame.bottom - frame.top + 10 }));
  const plot = make("g", { "clip-path": `url(#${id})` });
  svg.append(clip, plot);
  const drawn = curves.map((curve) => drawCurve(curve, x, y, plot));
  drawLevels(svg, figure, view, frame, y);
  drawMarks(svg, figure, view, frame, x);
  return { frame, x, y, xAxis, yAxis, drawn };
}
