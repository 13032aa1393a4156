// SPDX-License-Identifier: Apache-2.0
// Draws the charts of a page. Each function takes the rows that analysis/show/render/report.h describes at ChartKind,
// and the available width. A row's `says` is the tooltip of its mark; `shown` has its numbers as the report writes
// them, so only the axes choose digits here. Colours come from the page (style.css), for dark and light.
import {axisX, axisY, barX, dot, gridX, gridY, line, link, plot, rect, ruleX, ruleY, text, tickX} from "@observablehq/plot";

const says = (row) => row.says.join("\n");
const drop = (values) => values.filter((v) => Number.isFinite(v));

// Measures text in the font of the drawings.
const ruler = document.createElement("canvas").getContext("2d");
ruler.font = `12px ${getComputedStyle(document.body).fontFamily}`;
const widthOf = (label) => ruler.measureText(label).width;
const shorten = (label, width) => {
  if (widthOf(label) <= width) return label;
  let fits = label.length;
  while (fits > 1 && widthOf(label.slice(0, fits) + "\u2026") > width) --fits;
  return label.slice(0, fits) + "\u2026";
};

// Times are in microseconds; an axis has the unit that suits its largest value, as in the report.
const timeUnit = (largest) => (largest >= 1e8 ? [1e6, "s"] : largest >= 1e5 ? [1e3, "ms"] : [1, "us"]);
const plain = (value) => value.toLocaleString("en", {maximumSignificantDigits: 4});
const compact = (value) =>
  value >= 1e4 || value < 1e-2
    ? value.toLocaleString("en", {notation: "compact", maximumSignificantDigits: 3})
    : plain(value);

// The key of a row is its number, because names may repeat.
function rowsByName(rows, width, height = 24) {
  const left = Math.min(width * 0.36, Math.max(...rows.map((r) => widthOf(r.name))) + 10);
  return {
    marginLeft: left,
    axis: axisY({tickSize: 0, label: null, tickFormat: (i) => shorten(rows[i].name, left - 8)}),
    y: {type: "band", domain: rows.map((_, i) => i), padding: 0.25},
    height: rows.length * height,
  };
}

const frame = (width, options) => ({
  width,
  style: {background: "none", color: "inherit", fontFamily: "inherit", fontSize: "12px"},
  color: {type: "identity"},
  ...options,
});

// `inner`: the length of the axis in pixels.
function axis(label, inner, tickFormat = plain) {
  const ticks = Math.max(2, Math.floor(inner / 78));
  return [gridX({ticks, stroke: "var(--line)", strokeOpacity: 1}),
          axisX({ticks, label, tickFormat, labelAnchor: "center", labelArrow: "none"})];
}

// A scale for values in microseconds, in the unit of its ticks.
const scaled = (least, most, us) => ({domain: [least / us, most / us], transform: (v) => v / us});

// The end of an axis that leaves `label` pixels of room after the largest value.
const withRoom = (most, inner, label) => (most * inner) / Math.max(inner - label, inner / 2);

function waterfall(rows, width) {
  const names = rowsByName(rows, width);
  const ends = rows.flatMap((r) => drop([r.from_us, r.to_us, r.low_us, r.high_us]));
  const largest = Math.max(...ends);
    // If the changes are small beside the whole, they would not be visible: then the axis begins near them, and says
    // so.
  const moved = rows.flatMap((r) => (r.role === "total" ? [r.to_us] : drop([r.from_us, r.to_us, r.low_us, r.high_us])));
  const span = Math.max(...moved) - Math.min(...moved), isCut = span > 0 && span < 0.3 * largest;
  const least = isCut ? Math.min(...moved) - 0.35 * span : Math.min(0, ...ends);
  const [us, unit] = timeUnit(largest);
  const inner = width - names.marginLeft - 20;
    // A number is written before its bar, or after the bar if there is no room before it, or inside the bar of a total.
  const placed = (most) => rows.map((row, i) => {
    const pixels = (v) => ((v - least) / (most - least)) * inner;
    const all = drop([row.from_us, row.to_us, row.low_us, row.high_us]).map((v) => Math.max(v, least)), from = Math.min(...all), to = Math.max(...all);
    const label = widthOf(row.shown.us) + 8;
    if (row.role === "total") return {...row, i, at: to, side: pixels(to) > label ? "in" : "behind"};
    return pixels(from) > label ? {...row, i, at: from, side: "before"} : {...row, i, at: to, side: "behind"};
  });
  const needed = (places) => Math.max(largest, ...places.filter((r) => r.side === "behind")
    .map((r) => least + withRoom(r.at - least, inner, widthOf(r.shown.us) + 10)));
    // Room after one bar makes all bars shorter, so the number of another bar may no longer fit.
  let most = largest, places = placed(most);
  for (let next = needed(places); next > most; next = needed(places)) places = placed(most = next);
  const steps = places.filter((r) => r.role !== "total");
  const number = (side, options) =>
    text(places.filter((r) => r.side === side), {x: "at", y: "i", text: (r) => r.shown.us, pointerEvents: "none", ...options});
  const colour = (r) =>
    r.role === "total" ? "var(--whole)" : r.role === "rest" ? "var(--rest)" : r.us >= 0 ? "var(--more)" : "var(--less)";
  return plot(frame(width, {
    marginLeft: names.marginLeft, marginRight: 20, marginBottom: 40, height: names.height + 60,
    x: scaled(least, most, us), y: names.y,
    marks: [
      ...axis(`time in ${unit}${isCut ? " (not from 0)" : ""}`, width - names.marginLeft - 20), names.axis,
      link(places.slice(1), {x1: (r) => (r.role === "total" ? r.to_us : r.from_us),
                             x2: (r) => (r.role === "total" ? r.to_us : r.from_us), y1: (r) => r.i - 1, y2: "i",
                             stroke: "var(--faint)"}),
      barX(places, {x1: (r) => Math.max(r.from_us, least), x2: (r) => Math.max(r.to_us, least), y: "i", fill: colour, ariaLabel: says, insetLeft: 0, rx: 1}),
      ruleY(steps.filter((r) => r.low_us !== null && r.high_us !== null),
            {x1: "low_us", x2: "high_us", y: "i", stroke: "var(--ink)", strokeWidth: 1.5}),
      number("before", {textAnchor: "end", dx: -6, fill: "var(--ink)", stroke: "var(--page)", strokeWidth: 4}),
      number("behind", {textAnchor: "start", dx: 6, fill: "var(--ink)"}),
      number("in", {textAnchor: "end", dx: -6, fill: "var(--on-part)"}),
      ...(isCut ? [] : [ruleX([0], {stroke: "var(--faint)"})]),
    ],
  }));
}

// The colours of base and candidate in every chart with both.
const sideColour = (i) => (i === 0 ? "var(--base)" : "var(--candidate)");

function swatches(entries) {
  const legend = document.createElement("div");
  legend.className = "legend";
  for (const [name, colour, meaning] of entries) {
    const entry = document.createElement("span"), box = document.createElement("i");
    box.style.background = colour;
    entry.append(box, name);
    if (meaning) {
      const said = document.createElement("small");
      said.textContent = meaning;
      entry.append(" ", said);
      legend.classList.add("explained");
    }
    legend.append(entry);
  }
  return legend;
}

function stack(rows, width) {
  const sides = [...new Set(rows.map((r) => r.side))], parts = [...new Set(rows.map((r) => r.part))];
  const colour = (part) => (part === "other states" ? "var(--rest)" : `var(--part${parts.indexOf(part) % 10})`);
  const totals = sides.map((side) => rows.filter((r) => r.side === side).reduce((sum, r) => sum + r.time_us, 0));
  const [us, unit] = timeUnit(Math.max(...totals));
  const names = rowsByName(sides.map((name) => ({name})), width);
  const inner = width - names.marginLeft - 20;
  const placed = rows.map((row) => {
    const before = rows.slice(0, rows.indexOf(row)).filter((r) => r.side === row.side);
    const from = before.reduce((sum, r) => sum + r.time_us, 0);
    return {...row, i: sides.indexOf(row.side), from, to: from + row.time_us};
  });
  const fits = (r) => (r.time_us / Math.max(...totals)) * inner;
  const drawing = plot(frame(width, {
    marginLeft: names.marginLeft, marginRight: 20, marginBottom: 40, height: sides.length * 52 + 60,
    x: scaled(0, Math.max(...totals), us),
    y: {...names.y, padding: 0.15},
    marks: [
      ...axis(`time in ${unit}`, width - names.marginLeft - 20), names.axis,
      barX(placed, {x1: "from", x2: "to", y: "i", fill: (r) => colour(r.part), stroke: "var(--page)", ariaLabel: says}),
      text(placed.filter((r) => fits(r) > widthOf(r.part) + 6),
           {x: (r) => (r.from + r.to) / 2, y: "i", text: "part", fill: "var(--on-part)", pointerEvents: "none"}),
    ],
  }));
  return [drawing, swatches(parts.map((part) => [part, colour(part), rows.find((r) => r.part === part).meaning]))];
}

// Ticks at 1, 10, 100 and so on; also at 2 and 5 times these if a decade has room for them.
function decades(from, to, pixels) {
  const each = pixels / Math.log10(to / from), steps = each > 130 ? [1, 2, 5] : [1], ticks = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); ++power)
    ticks.push(...steps.map((s) => s * 10 ** power).filter((v) => v >= from && v <= to));
  return ticks;
}

function roofline(rows, width) {
  const points = rows.filter((r) => r.role === "point");
  const roofs = rows.filter((r) => r.role === "compute" || r.role === "tensor");
  const slopes = rows.filter((r) => r.role === "memory");
  const top = Math.max(...roofs.map((r) => r.gflops), ...points.map((r) => r.gflops));
  const ridges = slopes.flatMap((s) => roofs.map((r) => (r.gflops * 1e9) / s.bytes_per_s));
  const across = [...ridges, ...points.map((r) => r.intensity)];
  const from = Math.min(...across) / 6, to = Math.max(...across) * 6;
  const least = Math.min(...points.map((r) => r.gflops), top / 100) / 2;
  const lines = [
    ...slopes.map((s) => {
      const begin = Math.max(from, (least * 1e9) / s.bytes_per_s), end = roofs.length ? (top * 1e9) / s.bytes_per_s : to;
      return {row: s, ends: [[begin, (begin * s.bytes_per_s) / 1e9], [end, (end * s.bytes_per_s) / 1e9]]};
    }),
    ...roofs.map((r) => {
      const begins = slopes.map((s) => (r.gflops * 1e9) / s.bytes_per_s);
      return {row: r, ends: [[begins.length ? Math.min(...begins) : from, r.gflops], [to, r.gflops]]};
    }),
  ];
  const speed = (v) => (v >= 1e3 ? `${plain(v / 1e3)} T` : `${plain(v)} G`);
  const place = points.map((p, i) => ({...p, i}));
  const pixels = (v) => (Math.log(v / from) / Math.log(to / from)) * (width - 58 - 16);
    // A label is at the left of its point if there is no room at the right.
  const labelOf = (p) => `${p.name}, ${p.shown.gflops}`;
    // If two points almost coincide, one label is above and the other below.
  const apart = points.length === 2 && Math.abs(Math.log(points[0].gflops / points[1].gflops)) < 0.25 &&
    Math.abs(pixels(points[0].intensity) - pixels(points[1].intensity)) < 160 ? 13 : 0;
  const atRight = (p) => pixels(p.intensity) + widthOf(labelOf(p)) + 14 > width - 58;
  const height = Math.min(380, Math.max(260, width * 0.55));
  const across10 = decades(from, to, width - 74), up10 = decades(least, top * 2, height - 60);
  return plot(frame(width, {
    marginLeft: 58, marginRight: 16, marginBottom: 42, marginTop: 18, height,
    x: {type: "log", domain: [from, to]}, y: {type: "log", domain: [least, top * 2]},
    marks: [
      gridX(across10, {stroke: "var(--line)", strokeOpacity: 1}), gridY(up10, {stroke: "var(--line)", strokeOpacity: 1}),
      axisX(across10, {text: compact, label: "operations per byte of device memory (FLOP/B)", labelAnchor: "center", labelArrow: "none"}),
      axisY(up10, {text: speed, label: "operations per second (FLOP/s)", labelAnchor: "top", labelArrow: "none"}),
      ...lines.map(({row, ends}) => line(ends, {stroke: "var(--ink)", strokeWidth: 2})),
      ...lines.map(({row, ends}) =>
        dot([ends[row.role === "memory" ? 0 : 1]], {r: 3, fill: "var(--ink)", ariaLabel: () => says(row)})),
      ...lines.map(({row, ends}) => {
        const flat = row.role !== "memory";
        const at = flat ? ends[1] : [Math.sqrt(ends[0][0] * ends[1][0]), Math.sqrt(ends[0][1] * ends[1][1])];
        const label = `${row.name} ${flat ? row.shown.gflops : row.shown.bytes_per_s}`;
        const below = !flat && pixels(at[0]) < widthOf(label) + 10;
        return text([at], {text: () => label, textAnchor: below ? "start" : "end", dx: flat ? 0 : below ? 10 : -8,
                           dy: flat ? -9 : below ? 8 : -4, fill: "var(--ink)"});
      }),
      link(place.filter((p) => slopes.length && roofs.length), {
        x1: "intensity", x2: "intensity", y1: "gflops",
        y2: (p) => Math.min(Math.max(...roofs.map((r) => r.gflops)),
                            (p.intensity * Math.max(...slopes.map((s) => s.bytes_per_s))) / 1e9),
        stroke: (p) => sideColour(p.i), strokeDasharray: "3 3"}),
      dot(place, {x: "intensity", y: "gflops", r: 7, symbol: (p) => (p.i === 0 ? "circle" : "diamond"),
                  fill: (p) => sideColour(p.i), stroke: "var(--page)", ariaLabel: says}),
      ...place.map((p) => text([p], {x: "intensity", y: "gflops", text: labelOf, textAnchor: atRight(p) ? "end" : "start",
                                     dx: atRight(p) ? -11 : 11, dy: p.i === 0 ? -apart : apart, fill: "var(--ink)",
                                     stroke: "var(--page)", strokeWidth: 4, pointerEvents: "none"})),
    ],
    symbol: {type: "identity"},
  }));
}

function distribution(rows, width) {
  const sides = [...new Set(rows.map((r) => r.side))];
  const names = rowsByName(sides.map((name) => ({name})), width);
  const times = rows.map((r) => r.time_us);
  const least = Math.min(...times), most = Math.max(...times), room = (most - least) * 0.06 || most * 0.01;
  const [us, unit] = timeUnit(most);
  const samples = rows.filter((r) => r.role === "sample").map((r, n) => ({...r, i: sides.indexOf(r.side), n}));
  const medians = rows.filter((r) => r.role === "median").map((r) => ({...r, i: sides.indexOf(r.side)}));
  const atRight = (r) => r.time_us > least + (most - least) * 0.6;
  // Five heights in turn, so that equal times do not hide each other.
  const lanes = [-10, 5, -5, 10, 0];
  return plot(frame(width, {
    marginLeft: names.marginLeft, marginRight: 20, marginBottom: 40, height: sides.length * 58 + 56,
    x: scaled(Math.max(0, least - room), most + room, us), y: {...names.y, padding: 0.05},
    marks: [
      ...axis(`time of a launch in ${unit}`, width - names.marginLeft - 20), names.axis,
      ...lanes.map((dy, lane) => dot(samples.filter((r) => r.n % lanes.length === lane),
        {x: "time_us", y: "i", dy, r: 3.5, fill: (r) => (r.kept === "yes" ? sideColour(r.i) : "none"), fillOpacity: 0.7,
         stroke: (r) => sideColour(r.i), ariaLabel: says})),
      tickX(medians, {x: "time_us", y: "i", stroke: "var(--ink)", strokeWidth: 2, inset: 4, ariaLabel: says}),
      ...[["start", 9, (r) => !atRight(r)], ["end", -9, atRight]].map(([textAnchor, dx, which]) =>
        text(medians.filter(which), {x: "time_us", y: "i", text: (r) => `median ${r.shown.time_us}`, textAnchor, dx, dy: -20,
                                     fill: "var(--ink)", stroke: "var(--page)", strokeWidth: 4})),
    ],
  }));
}

function bars(rows, width) {
  const lines = rows.filter((r) => r.role === "line"), placed = rows.filter((r) => r.role !== "line").map((r, i) => ({...r, i}));
  const names = rowsByName(placed, width, 22);
  const speeds = / [GT]FLOP\/s$/.test(placed[0].shown.value);
  const largest = Math.max(...rows.map((r) => r.value));
  const [us, unit] = speeds ? (largest >= 1e4 ? [1e3, "TFLOP/s"] : [1, "GFLOP/s"]) : timeUnit(largest);
  const label = Math.max(...placed.map((r) => widthOf(r.shown.value))) + 10;
  const tops = lines.length * 15;
  return plot(frame(width, {
    marginLeft: names.marginLeft, marginRight: 20, marginBottom: 40, marginTop: 16 + tops, height: names.height + 60 + tops,
    x: scaled(0, withRoom(largest, width - names.marginLeft - 20, label), us), y: names.y,
    marks: [
      ...axis(speeds ? `speed in ${unit}` : `time in ${unit}`, width - names.marginLeft - 20), names.axis,
      barX(placed, {x: "value", y: "i", fill: "var(--base)", ariaLabel: says}),
      ruleX(lines, {x: "value", stroke: "var(--candidate)", strokeWidth: 1.5, strokeDasharray: "5 3", insetTop: -4, ariaLabel: says}),
      ...lines.map((l, n) => text([l], {x: "value", frameAnchor: "top", dy: -(8 + n * 15), dx: l.value > largest / 2 ? 3 : -3, text: (r) => `${r.name} ${r.shown.value}`,
                                        textAnchor: l.value > largest / 2 ? "end" : "start", fill: "var(--ink)"})),
      text(placed, {x: "value", y: "i", text: (r) => r.shown.value, textAnchor: "start", dx: 5, fill: "var(--ink)",
                    stroke: "var(--page)", strokeWidth: 4}),
      ruleX([0], {stroke: "var(--faint)"}),
    ],
  }));
}

function pairs(rows, width) {
  const placed = rows.map((r, i) => ({...r, i}));
  const names = rowsByName(rows, width, 36);
  const [us, unit] = timeUnit(Math.max(...rows.flatMap((r) => [r.base, r.candidate])));
  const largest = Math.max(...rows.flatMap((r) => [r.base, r.candidate]));
  const label = Math.max(...rows.map((r) => widthOf(r.shown.delta))) + 10;
  const bar = 36 * 0.75 / 2;
  const drawing = plot(frame(width, {
    marginLeft: names.marginLeft, marginRight: 20, marginBottom: 40, height: names.height + 60,
    x: scaled(0, withRoom(largest, width - names.marginLeft - 20, label), us), y: names.y,
    marks: [
      ...axis(`time of all calls in ${unit}`, width - names.marginLeft - 20), names.axis,
      barX(placed, {x: "base", y: "i", fill: sideColour(0), insetBottom: bar, ariaLabel: says}),
      barX(placed, {x: "candidate", y: "i", fill: sideColour(1), insetTop: bar, ariaLabel: says}),
      text(placed, {x: (r) => Math.max(r.base, r.candidate), y: "i", text: (r) => r.shown.delta, textAnchor: "start", dx: 6,
                    fill: "var(--ink)"}),
      ruleX([0], {stroke: "var(--faint)"}),
    ],
  }));
  return [drawing, swatches([["base", sideColour(0)], ["candidate", sideColour(1)]])];
}

function intervals(rows, width) {
  const lines = rows.filter((r) => r.role === "line"), placed = rows.filter((r) => r.role !== "line").map((r, i) => ({...r, i}));
  const names = rowsByName(placed, width, 20);
  const all = [0, ...lines.map((r) => r.value), ...placed.flatMap((r) => drop([r.value, r.low, r.high]))];
  const least = Math.min(...all), most = Math.max(...all), room = (most - least) * 0.04 || 1;
  const limit = lines.length ? lines[0].value : Infinity;
  const colour = (r) => (r.judgement === "regression" ? "var(--more)" : r.judgement === "improvement" ? "var(--less)" : "var(--whole)");
  return plot(frame(width, {
    marginLeft: names.marginLeft, marginRight: 20, marginTop: 28, marginBottom: 40, height: names.height + 76,
    x: {domain: [least - room, most + room]}, y: names.y,
    marks: [
      ...axis("change of the time in %", width - names.marginLeft - 20, (v) => (v > 0 ? "+" : "") + plain(v)), names.axis,
      ruleX([0], {stroke: "var(--ink)"}),
      ruleX(lines, {x: "value", stroke: "var(--more)", strokeDasharray: "5 3", ariaLabel: says}),
      text(lines, {x: "value", frameAnchor: "top", dy: -10, text: (r) => `${r.name} ${r.shown.value}`, fill: "var(--ink)",
                   textAnchor: limit > (least + most) / 2 ? "end" : "start"}),
      ruleY(placed, {x1: "low", x2: "high", y: "i", stroke: colour, strokeWidth: 2}),
      dot(placed, {x: "value", y: "i", r: 4.5, fill: colour, ariaLabel: says}),
    ],
  }));
}

function bankMap(rows, width) {
    // Lanes that access the same banks at once share a box: they are served together.
  const boxes = new Map();
  for (const row of rows) {
    const key = `${row.wavefront} ${row.bank}`, box = boxes.get(key);
    if (box) box.lanes.push(row);
    else boxes.set(key, {...row, lanes: [row]});
  }
  const cells = [...boxes.values()].map((box) => ({
    ...box,
    text: box.lanes.length === 1 ? String(box.lane) : `${box.lane}+${box.lanes.length - 1}`,
    says: box.lanes.length === 1 ? box.says : [`lanes ${box.lanes.map((r) => r.lane).join(", ")}: the same banks, served together`, ...box.says.slice(1)],
  }));
  const wavefronts = [...new Set(rows.map((r) => r.wavefront))].sort((a, b) => a - b);
  const left = 46, right = 8, bank = (width - left - right) / 32, font = Math.min(11, bank * 0.85);
  const fits = (r) => r.text.length * font * 0.6 <= bank * r.banks;
  return plot(frame(width, {
    marginLeft: left, marginRight: right, marginBottom: 40, height: wavefronts.length * 22 + 62,
    x: {domain: [0, 32]}, y: {type: "band", domain: wavefronts, padding: 0.1},
    marks: [
      axisX({ticks: [0, 4, 8, 12, 16, 20, 24, 28], label: "bank", tickFormat: plain, labelAnchor: "center", labelArrow: "none"}),
      axisY({label: "wavefront", tickSize: 0, labelAnchor: "top", labelArrow: "none"}),
      gridX({ticks: 32, stroke: "var(--line)", strokeOpacity: 1}),
      barX(cells, {x1: "bank", x2: (r) => r.bank + r.banks, y: "wavefront", fill: (r) => `var(--part${wavefronts.indexOf(r.wavefront) % 10})`,
                   stroke: "var(--page)", ariaLabel: says}),
      text(cells.filter(fits), {x: (r) => r.bank + r.banks / 2, y: "wavefront", text: "text", fontSize: font, fill: "var(--on-part)",
                                pointerEvents: "none"}),
    ],
  }));
}

const kCodeFont = 12, kMono = 'ui-monospace, "DejaVu Sans Mono", "Liberation Mono", monospace';
function letterWidth() {
  ruler.save();
  ruler.font = `${kCodeFont}px ${kMono}`;
  const width = ruler.measureText("m").width;
  ruler.restore();
  return width;
}
const unbroken = (line) => line.replaceAll(" ", "\u00a0");

// On a phone the bar is below its line of code: beside it only ten letters would fit. Longer lines scroll.
function narrowLines(rows, room) {
  const pair = rows.some((r) => Number.isFinite(r.base_us)), code = 36, height = 20;
  const isTimed = (r) => r.role === "line" || r.role === "place";
  const label = (r) => (pair ? r.shown.delta_us : r.shown.candidate_us);
  let y = height;
  const placed = rows.map((r) => {
    const at = y;
    y += isTimed(r) ? 2 * height : height;
    return {...r, y: at};
  });
  const timed = placed.filter(isTimed), coded = placed.filter((r) => r.role === "line" || r.role === "text");
  const most = Math.max(...timed.flatMap((r) => drop([r.base_us, r.candidate_us])));
  const labels = Math.max(...timed.map((r) => widthOf(label(r)))) + 8;
  const bars = Math.max(80, room - code - labels - 4), letter = letterWidth();
  const width = Math.max(room, code + Math.max(...coded.map((r) => r.text.length * letter)) + 8);
  const bar = (key, top, bottom, fill) =>
    rect(timed.filter((r) => Number.isFinite(r[key]) && r[key] > 0),
         {x1: code, x2: (r) => code + (r[key] / most) * bars, y1: (r) => r.y + top, y2: (r) => r.y + bottom, fill, pointerEvents: "none"});
  const words = (some, x, dy, options) => text(some, {x, y: (r) => r.y + dy, fill: "var(--ink)", ...options});
  const drawing = plot(frame(width, {
    margin: 0, height: y + 6, x: {type: "identity", axis: null}, y: {type: "identity", axis: null},
    marks: [
      rect(timed, {x1: code, x2: code + bars, y1: (r) => r.y + height, y2: (r) => r.y + 2 * height - 6, fill: "var(--panel)", ariaLabel: says}),
      ...(pair ? [bar("base_us", height, height + 7, sideColour(0)), bar("candidate_us", height + 7, 2 * height - 6, sideColour(1))]
               : [bar("candidate_us", height, 2 * height - 6, sideColour(0))]),
      words(timed, code + bars + 6, height + 7, {text: label, textAnchor: "start"}),
      words(placed.filter((r) => Number.isFinite(r.line)), code - 8, 10, {text: (r) => String(r.line), textAnchor: "end", fill: "var(--quiet)", fontFamily: kMono}),
      words(coded, code, 10, {text: (r) => unbroken(r.text), textAnchor: "start", fontFamily: kMono, fontSize: kCodeFont,
                              fill: (r) => (r.role === "line" ? "var(--ink)" : "var(--quiet)")}),
      words(placed.filter((r) => r.role === "gap"), code - 8, 10, {text: () => "\u22ee", textAnchor: "end", fill: "var(--quiet)"}),
      words(placed.filter((r) => r.role === "place"), code, 10, {text: (r) => shorten(r.name, room - code), textAnchor: "start"}),
      words(placed.filter((r) => r.role === "file"), 0, 10, {text: (r) => shorten(r.name, room), textAnchor: "start", fontWeight: 600}),
      words([{y: 0}], code, 8, {text: () => `0 to ${Math.round(most) >= 10 ? plain(Math.round(most)) : plain(most)} us${pair ? ", and the difference" : ""}`,
                                textAnchor: "start", fill: "var(--quiet)"}),
    ],
  }));
  return pair ? [drawing, swatches([["base", sideColour(0)], ["candidate", sideColour(1)]])] : drawing;
}

// The source as in its files, with microseconds before each line.
function lines(rows, room) {
  if (room < 560) return narrowLines(rows, room);
  const width = Math.max(room, 680), mono = kMono;
  const pair = rows.some((r) => Number.isFinite(r.base_us)), placed = rows.map((r, i) => ({...r, i}));
  const timed = placed.filter((r) => r.role === "line" || r.role === "place");
  const label = (r) => (pair ? r.shown.delta_us : r.shown.candidate_us);
  const most = Math.max(...timed.flatMap((r) => drop([r.base_us, r.candidate_us])));
  const left = Math.max(...timed.map((r) => widthOf(label(r)))) + 10, bars = Math.round(width * 0.2), numbers = 40;
  const top = 22, height = 20, code = left + bars + numbers + 12;
  const letters = Math.floor((width - code) / letterWidth());
  const cut = (line) => unbroken(line.length <= letters ? line : line.slice(0, letters - 1) + "\u2026");
    // The rows in which this side has a value; the others stay blank.
  const some = (key) => timed.filter((r) => Number.isFinite(r[key]) && r[key] > 0);
  const drawing = plot(frame(width, {
    marginLeft: left, marginRight: width - left - bars, marginTop: top, marginBottom: 6, height: top + 6 + rows.length * height,
    x: {domain: [0, most], axis: null}, y: {type: "band", domain: placed.map((r) => r.i), padding: 0.15, axis: null},
    marks: [
            // The tooltip belongs to the whole row of a bar, because many bars are too short for a cursor.
      barX(timed, {x1: 0, x2: most, y: "i", fill: "var(--panel)", ariaLabel: says}),
      ...(pair
        ? [barX(some("base_us"), {x: "base_us", y: "i", fill: sideColour(0), insetBottom: height * 0.425, pointerEvents: "none"}),
           barX(some("candidate_us"), {x: "candidate_us", y: "i", fill: sideColour(1), insetTop: height * 0.425, pointerEvents: "none"})]
        : [barX(some("candidate_us"), {x: "candidate_us", y: "i", fill: sideColour(0), pointerEvents: "none"})]),
      ruleX([0], {stroke: "var(--faint)", pointerEvents: "none"}),
      text(timed, {x: 0, y: "i", text: label, textAnchor: "end", dx: -6, fill: "var(--ink)"}),
      text(placed.filter((r) => Number.isFinite(r.line)),
           {x: most, y: "i", dx: numbers, text: (r) => String(r.line), textAnchor: "end", fill: "var(--quiet)", fontFamily: mono}),
      text(placed.filter((r) => r.role === "line" || r.role === "text"),
           {x: most, y: "i", dx: numbers + 12, text: (r) => cut(r.text), textAnchor: "start", fontFamily: mono,
            fill: (r) => (r.role === "line" ? "var(--ink)" : "var(--quiet)")}),
      text(placed.filter((r) => r.role === "place"),
           {x: most, y: "i", dx: 12, text: (r) => shorten(r.name, width - code + numbers), textAnchor: "start", fill: "var(--ink)"}),
      text(placed.filter((r) => r.role === "gap"), {x: most, y: "i", dx: numbers, text: () => "\u22ee", textAnchor: "end", fill: "var(--quiet)"}),
      text(placed.filter((r) => r.role === "file"),
           {x: most, y: "i", dx: 12, text: (r) => shorten(r.name, width - code + numbers), textAnchor: "start", fontWeight: 600, fill: "var(--ink)"}),
      text([pair ? "difference" : "time"], {x: 0, frameAnchor: "top", dy: -14, dx: -6, textAnchor: "end", fill: "var(--quiet)"}),
      text([`0 to ${Math.round(most) >= 10 ? plain(Math.round(most)) : plain(most)} us`],
           {x: 0, frameAnchor: "top", dy: -14, textAnchor: "start", fill: "var(--quiet)"}),
    ],
  }));
  return pair ? [drawing, swatches([["base", sideColour(0)], ["candidate", sideColour(1)]])] : drawing;
}

// One kernel over runs, from left to right.
function history(rows, width) {
  const placed = rows.map((r, i) => ({...r, i}));
  const ends = placed.flatMap((r) => drop([r.time_us, r.low_us, r.high_us]));
  const least = Math.min(...ends), largest = Math.max(...ends);
  const [us, unit] = timeUnit(largest);
    // The axis begins at 0 if the changes stay visible.
  const isCut = largest - least < 0.6 * largest, room = (largest - least) * 0.12 || largest * 0.05;
  const from = isCut ? Math.max(0, least - room) : 0, to = largest + 2.5 * room;
  const left = 62, right = 16, each = (width - left - right) / placed.length;
  const longest = Math.max(...placed.map((r) => widthOf(r.name)));
    // Names lean if they have no room side by side; if there are very many, only some are written.
  const leans = longest + 8 > each, step = leans ? Math.ceil(16 / each) : 1;
  const most = Math.min(longest, 110);
  const bottom = leans ? 34 + most * 0.72 : 44;
  const changes = placed.filter((r) => r.moved);
  const segments = [...new Set(placed.map((r) => r.segment))].map((s) => placed.filter((r) => r.segment === s));
    // If neighbouring labels have no room side by side, one is written higher.
  const inner = width - left - right, pixels = (i) => left + ((i + 0.5) / placed.length) * inner;
  const tiers = [];
  const heights = changes.map((r) => {
    const half = widthOf(r.shown.change) / 2 + 5, at = Math.min(pixels(r.i), width - half);
    let tier = 0;
    while (tiers[tier] > at - half) ++tier;
    tiers[tier] = at + half;
    return {row: r, tier, at};
  });
  const top = 24 + 15 * Math.max(0, tiers.length - 1);
  const colour = (r) => (r.moved === "slower" ? "var(--more)" : r.moved === "faster" ? "var(--less)" : "var(--base)");
  return plot(frame(width, {
    marginLeft: left, marginRight: right, marginTop: top, marginBottom: bottom, height: 224 + top + bottom,
    x: {domain: [-0.5, placed.length - 0.5]},
    y: {domain: [from / us, to / us], transform: (v) => v / us},
    marks: [
      gridY({ticks: 5, stroke: "var(--line)", strokeOpacity: 1}),
      axisY({ticks: 5, tickFormat: plain, label: `time in ${unit}${isCut ? " (not from 0)" : ""}`, labelAnchor: "top", labelArrow: "none", labelOffset: top}),
      axisX(placed.filter((r) => r.i % step === 0).map((r) => r.i),
            {tickSize: 4, label: null, tickFormat: (i) => shorten(placed[i].name, leans ? most : each), tickRotate: leans ? -40 : 0}),
      ruleX(changes, {x: (r) => r.i - 0.5, stroke: "var(--faint)", strokeDasharray: "5 3"}),
      ...segments.map((s) => line([[s[0].i - 0.4, s[0].level_us], [s.at(-1).i + 0.4, s.at(-1).level_us]], {stroke: "var(--faint)", strokeWidth: 2})),
      link(placed.filter((r) => Number.isFinite(r.low_us) && Number.isFinite(r.high_us)),
           {x1: "i", x2: "i", y1: "low_us", y2: "high_us", stroke: colour, strokeWidth: 2}),
      dot(placed, {x: "i", y: "time_us", r: 5, fill: colour, stroke: "var(--page)", ariaLabel: says}),
      ...heights.map(({row, tier, at}) =>
        text([row], {x: "i", frameAnchor: "top", dx: at - pixels(row.i), dy: -10 - 15 * tier, text: (r) => r.shown.change, fill: colour, fontWeight: 600})),
    ],
  }));
}

const kinds = {waterfall, stack, roofline, distribution, bars, pairs, intervals, bank_map: bankMap, lines, history};

// The elements of one drawing.
window.culpritDraw = (kind, rows, width) => [kinds[kind](rows, width)].flat();
