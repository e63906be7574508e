// Brings the page to life: figures are drawn when they come into view, and all of them before printing.

class Panel {
  constructor(root, onIsolate) {
    this.root = root;
    this.figure = JSON.parse(root.querySelector("script").textContent);
    this.view = null;
    this.chart = null;
    this.stale = true;
    this.near = false;
    this.plot = element("div", "plot");
    this.plot.tabIndex = 0;
    this.plot.setAttribute("role", "application");
    this.plot.setAttribute("aria-roledescription", "chart");
    this.plot.setAttribute("aria-describedby", "plot-help");
    this.svg = make("svg", { role: "presentation" });
    this.plot.append(this.svg);
    root.append(this.plot);
    this.cursor = new Cursor(this);
    this.buttons = makeLegend(this, onIsolate);
    this.isolated = null;
  }

  names() {
    return this.figure.series.filter((series) => !series.quiet).map((series) => series.name);
  }

  draw() {
    this.stale = false;
    this.cursor.hide();
    this.width = Math.max(240, this.plot.clientWidth);
    this.chart = drawChart(this.svg, this.figure, this.view, this.width);
    const up = this.chart ? this.chart.yAxis.label : "", across = this.chart ? this.chart.xAxis.label : "";
    this.plot.setAttribute("aria-label", `${this.figure.title}: ${up} against ${across}, ${this.names().length} curves`);
    this.fade();
  }

  fade() {
    const name = this.names().includes(this.isolated) ? this.isolated : null;
    const drawn = new Set(this.chart ? this.chart.drawn.map((one) => one.curve.name) : this.names());
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.name === name));
      button.classList.toggle("outside", !drawn.has(button.dataset.name));  // this was not measured of it
    }
    this.root.classList.toggle("isolating", name !== null);
    if (this.chart)
      for (const drawn of this.chart.drawn)
        drawn.layer.classList.toggle("faded", name !== null && drawn.curve.name !== name);
  }

  refresh(force) {
    if (this.stale && (this.near || force)) this.draw();
  }
}

// Figures that stand together and have a choice of axes share a view; the others have one each.
function groupsOf(panels) {
  const several = (panel) => panel.figure.x.length > 1 || panel.figure.y.length > 1;
  const alone = panels.filter((panel) => !several(panel)).map((panel) => [panel]);
  const together = panels.filter(several);
  return together.length > 0 ? [together, ...alone] : alone;
}

function start(container) {
  const panels = [];
  const isolate = (name) => {
    const next = panels[0].isolated === name ? null : name;
    for (const panel of panels) {
      panel.isolated = next;
      panel.fade();
    }
  };
  for (const root of container.querySelectorAll("figure")) panels.push(new Panel(root, isolate));
  for (const group of groupsOf(panels)) {
    const view = makeView(group);
    const redraw = () => {
      for (const panel of group) {
        panel.stale = true;
        panel.refresh(false);
      }
    };
    for (const panel of group) panel.view = view;
    const form = makeSwitches(group, view, redraw);
    if (form) container.before(form);
  }
  return panels;
}

const panels = [...document.querySelectorAll(".figures")].flatMap(start);
const byRoot = new Map(panels.map((panel) => [panel.root, panel]));

const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const panel = byRoot.get(entry.target);
    panel.near = entry.isIntersecting;
    panel.refresh(false);
  }
}, { rootMargin: "400px" });
const sizes = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const panel = byRoot.get(entry.target);
    if (panel.stale || Math.abs(panel.plot.clientWidth - panel.width) < 2) continue;
    panel.stale = true;
    panel.refresh(false);
  }
});
for (const panel of panels) {
  watcher.observe(panel.root);
  sizes.observe(panel.root);
}

function drawAll() {
  for (const panel of panels) panel.refresh(true);
  for (const details of document.querySelectorAll("details")) details.open = true;
}
window.addEventListener("beforeprint", drawAll);
window.matchMedia("print").addEventListener("change", (event) => { if (event.matches) drawAll(); });
