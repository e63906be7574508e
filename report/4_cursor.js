// A vertical line that the pointer or the arrow keys move, and the values of all curves there.

const STEP = 6;  // pixels that an arrow key moves at least

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// The observed point of a curve that is nearest to a pixel; null where the curve has not begun.
function nearestPoint(drawn, pixel) {
  let best = -1, distance = Infinity;
  drawn.points.forEach((point, k) => {
    if (point && Math.abs(point[0] - pixel) < distance) [best, distance] = [k, Math.abs(point[0] - pixel)];
  });
  return best;
}

function pixelsOf(chart) {
  const pixels = [];
  for (const drawn of chart.drawn)
    if (!drawn.curve.series.quiet) for (const point of drawn.points) if (point) pixels.push(point[0]);
  return pixels.sort((a, b) => a - b);
}

class Cursor {
  constructor(panel) {
    this.panel = panel;
    this.pixel = null;
    this.tip = element("div", "tip");
    this.tip.setAttribute("role", "status");
    this.tip.hidden = true;
    panel.plot.append(this.tip);
    panel.plot.addEventListener("pointermove", (event) => this.point(event));
    panel.plot.addEventListener("pointerdown", (event) => this.point(event));
    panel.plot.addEventListener("pointerleave", () => this.hide());
    panel.plot.addEventListener("blur", () => this.hide());
    panel.plot.addEventListener("keydown", (event) => this.key(event));
  }

  point(event) {
    const box = this.panel.svg.getBoundingClientRect();
    if (this.panel.chart) this.move((event.clientX - box.left) * (this.panel.chart.frame.width / box.width));
  }

  key(event) {
    const chart = this.panel.chart;
    if (!chart) return;
    const pixels = pixelsOf(chart);
    if (pixels.length === 0) return;
    const first = pixels[0], last = pixels[pixels.length - 1];
    let to = null;
    if (event.key === "Escape") this.hide();
    else if (event.key === "Home") to = first;
    else if (event.key === "End") to = last;
    else if (event.key === "ArrowRight")
      to = this.pixel === null ? first : pixels.find((pixel) => pixel >= this.pixel + STEP) ?? last;
    else if (event.key === "ArrowLeft")
      to = this.pixel === null ? last : pixels.findLast((pixel) => pixel <= this.pixel - STEP) ?? first;
    if (to === null) return;
    event.preventDefault();
    this.move(to);
  }

  hide() {
    this.pixel = null;
    this.tip.hidden = true;
    if (this.layer) this.layer.remove();
    this.layer = null;
  }

  move(pixel) {
    const { frame } = this.panel.chart;
    this.hide();
    this.pixel = Math.min(frame.right, Math.max(frame.left, pixel));
    const rows = this.values();
    if (rows.length === 0) return;
    this.layer = make("g", { class: "cursor" });
    this.layer.append(make("path", { d: `M${this.pixel.toFixed(1)} ${frame.top}V${frame.bottom}` }));
    for (const row of rows)
      if (row.point[1] >= frame.top - 5)
        this.layer.append(make("circle", { cx: row.point[0], cy: row.point[1], r: 4.5, stroke: styleOf(row.curve.series).colour }));
    this.panel.svg.append(this.layer);
    this.fill(rows);
  }

  // One row for each curve that is shown, from the top of the picture to its bottom.
  values() {
    const rows = [];
    for (const drawn of this.panel.chart.drawn) {
      if (drawn.curve.series.quiet || drawn.layer.classList.contains("faded")) continue;
      const k = nearestPoint(drawn, this.pixel);
      if (k < 0) continue;
      const ends = drawn.points.filter(Boolean).map((point) => point[0]);
      const outside = Math.min(...ends) - this.pixel > 12 || this.pixel - Math.max(...ends) > 12;
      rows.push({ curve: drawn.curve, k, point: drawn.points[k], outside });
    }
    return rows.sort((a, b) => a.point[1] - b.point[1]);
  }

  fill(rows) {
    const { chart } = this.panel;
    const head = element("p", "tip-head");
    head.append(element("span", "tip-axis", chart.xAxis.label + " "), element("b", "", show(Number(chart.x.invert(this.pixel).toPrecision(4)))));
    if (this.panel.view.smooth) head.append(element("span", "", `, mean of ${2 * SMOOTH_OVER + 1} looks`));
    const table = element("table");
    for (const { curve, k, outside } of rows) {
      const row = element("tr", outside ? "outside" : "");
      row.dataset.name = curve.name;
      row.dataset.x = curve.x[k];
      const name = element("th");
      name.scope = "row";
      name.append(swatch(curve.series), curve.name || chart.yAxis.label);
      const band = curve.low && curve.low[k] !== curve.high[k] ? `${show(curve.low[k])} \u2013 ${show(curve.high[k])}` : "";
      row.append(name, element("td", "tip-value", show(curve.middle[k])), element("td", "tip-band", band));
      table.append(row);
    }
    this.tip.replaceChildren(head, table);
    this.tip.hidden = false;
    this.place();
  }

  // Beside the line where there is room, if need be without the bands; never outside the figure.
  place() {
    const scale = this.panel.svg.getBoundingClientRect().width / this.panel.chart.frame.width;
    const at = this.pixel * scale, room = this.panel.plot.clientWidth;
    const fits = () => Math.max(at, room - at) >= this.tip.offsetWidth + 16;
    this.tip.classList.remove("tight");
    this.tip.style.left = 0;  // or its place narrows it
    if (!fits()) this.tip.classList.add("tight");
    const width = this.tip.offsetWidth;
    const beside = at + 16 + width <= room ? at + 16 : at - 16 - width;
    this.tip.style.left = Math.max(0, Math.min(room - width, beside)) + "px";
  }
}
