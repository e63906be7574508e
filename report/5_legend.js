// Names of the curves. A click isolates one in all figures beside each other, another brings the rest back.

function swatch(series) {
  const style = styleOf(series);
  const svg = make("svg", { class: "swatch", viewBox: "0 0 28 12", width: 28, height: 12, "aria-hidden": "true" });
  svg.append(make("path", { class: "line", d: "M1 6H27", stroke: style.colour, "stroke-dasharray": style.dashes }));
  svg.append(make("path", { class: "marker", transform: `translate(14 6) scale(${MARKER_SIZE})`, d: style.marker, fill: style.colour }));
  return svg;
}

function makeLegend(panel, onIsolate) {
  const named = panel.figure.series.filter((series) => !series.quiet && series.name);
  if (named.length < 2) return [];
  const list = element("ul", "legend");
  list.setAttribute("aria-label", "Curves: choose one to see it alone");
  const buttons = named.map((series) => {
    const button = element("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.dataset.name = series.name;
    button.append(swatch(series), element("span", "", series.name));
    button.addEventListener("click", () => onIsolate(series.name));
    const item = element("li");
    item.append(button);
    list.append(item);
    return button;
  });
  panel.root.append(list);
  return buttons;
}
