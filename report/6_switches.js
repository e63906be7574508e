// What the figures of a group show: one row of switches for all figures with the same axes.

let switchNames = 0;

function addChoice(form, title, axes, current, onChange) {
  const set = element("fieldset", "choice");
  set.append(element("legend", "", title));
  const name = `choice-${++switchNames}`;
  for (const axis of axes) {
    const label = element("label"), input = element("input");
    input.type = "radio";
    input.name = name;
    input.value = axis.key;
    input.checked = axis.key === current;
    input.addEventListener("change", () => onChange(axis.key));
    label.append(input, element("span", "", axis.label));
    set.append(label);
  }
  form.append(set);
}

function addTick(parent, text, checked, onChange) {
  const label = element("label", "check"), input = element("input");
  input.type = "checkbox";
  input.checked = checked;
  input.addEventListener("change", () => onChange(input.checked));
  label.append(input, element("span", "", text));
  parent.append(label);
  return input;
}

// The axes of all panels by key, in order of appearance.
function union(panels, which) {
  const axes = new Map();
  for (const panel of panels) for (const axis of panel.figure[which]) if (!axes.has(axis.key)) axes.set(axis.key, axis);
  return [...axes.values()];
}

function makeView(panels) {
  const x = union(panels, "x"), y = union(panels, "y");
  const log = {};
  for (const axis of [...x, ...y]) log[axis.key] = axis.log;
  return { x: x[0].key, y: y[0].key, log, before: true, smooth: false };
}

function makeSwitches(panels, view, onChange) {
  const x = union(panels, "x"), y = union(panels, "y");
  const before = panels.some((panel) => panel.figure.series.some((series) => Object.keys(series.before).length > 0));
  if (x.length < 2 && y.length < 2 && !before) return null;
  const form = element("form", "switches");
  form.setAttribute("aria-label", "What the curves show");
  form.addEventListener("submit", (event) => event.preventDefault());
  let xLog, yLog, graph;
  const update = () => {
    xLog.checked = view.log[view.x];
    yLog.checked = view.log[view.y];
    if (graph) graph.disabled = !panels.some((panel) => panel.figure.series.some((series) => view.x in series.before));
    onChange();
  };
  if (y.length > 1) addChoice(form, "Up", y, view.y, (key) => { view.y = key; update(); });
  if (x.length > 1) addChoice(form, "Across", x, view.x, (key) => { view.x = key; update(); });
  const ticks = element("fieldset", "checks");
  ticks.append(element("legend", "", "With"));
  yLog = addTick(ticks, "log up", view.log[view.y], (on) => { view.log[view.y] = on; onChange(); });
  xLog = addTick(ticks, "log across", view.log[view.x], (on) => { view.log[view.x] = on; onChange(); });
  if (before) graph = addTick(ticks, "graph time", true, (on) => { view.before = on; onChange(); });
  addTick(ticks, "smooth", false, (on) => { view.smooth = on; onChange(); });
  form.append(ticks);
  return form;
}
