// Numbers as a reader wants them.

const NONE = "\u2014";
const SUPERSCRIPTS = { "-": "\u207b", 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074", 5: "\u2075",
  6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079" };

// Six significant digits, as they are in the data.
function show(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return value.toLocaleString("en");
  const rounded = Number(value.toPrecision(6));
  const size = Math.abs(rounded);
  return size < 1e-4 || size >= 1e9 ? rounded.toExponential().replace("e+", "e") : String(rounded);
}

function superscript(power) {
  return [...String(power)].map((digit) => SUPERSCRIPTS[digit]).join("");
}

// The number at a tick: powers of ten as such where plain digits would be long.
function showTick(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(6)));
  const power = Math.floor(Math.log10(size) + 1e-9);
  const part = Number((value / 10 ** power).toPrecision(4));
  return (part === 1 ? "" : part === -1 ? "\u2212" : part + "\u00b7") + "10" + superscript(power);
}
