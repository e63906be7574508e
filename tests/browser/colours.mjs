// How colours look to various eyes. Matrices for linear RGB after Machado, Oliveira and Fernandes (2009), severity 1.

const EYES = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const linear = (byte) => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
const times = (matrix, v) => matrix.map((row) => row.reduce((sum, one, k) => sum + one * v[k], 0));

// Linear RGB as seen by such eyes.
export function seenBy(eyes, rgb) {
  return times(EYES[eyes], rgb.map(linear)).map((part) => Math.min(1, Math.max(0, part)));
}

function lab(rgb) {
  const [x, y, z] = times([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], rgb);
  const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116);
  const [a, b, c] = [f(x / 0.9505), f(y), f(z / 1.089)];
  return [116 * b - 16, 500 * (a - b), 200 * (b - c)];
}

// CIE 1976; about 2.3 is just noticeable.
export function difference(a, b) {
  const [p, q] = [lab(a), lab(b)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

export const grey = (rgb) => times([[0.2126, 0.7152, 0.0722]], rgb.map(linear))[0];
