"use strict";
// Everything that the page shows comes from one object, D. Every text from a run is inserted as text, never as markup.
const D = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

function el(tag, attributes = {}, ...children) {
  const svg = ["svg", "g", "rect", "path", "circle", "line", "text", "title", "defs", "pattern"].includes(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "style" || svg || key.startsWith("data-") || key.startsWith("aria-")) node.setAttribute(key, value);
    else node[key] = value;
  }
  node.append(...children);
  return node;
}

const digits = (x, n) => x.toLocaleString("en-US", {minimumFractionDigits: n, maximumFractionDigits: n});
function time(ns) {
  if (ns == null) return "";
  const a = Math.abs(ns);
  return a >= 1e9 ? digits(ns / 1e9, 2) + " s" : a >= 1e6 ? digits(ns / 1e6, 2) + " ms" : a >= 1e3 ? digits(ns / 1e3, 1) + " µs" : digits(ns, 0) + " ns";
}
function scaled(x, unit, base = 1000) {
  const steps = base === 1024 ? ["", "Ki", "Mi", "Gi", "Ti"] : ["", "K", "M", "G", "T", "P"];
  let i = 0;
  while (Math.abs(x) >= base && i + 1 < steps.length) { x /= base; ++i; }
  return digits(x, x >= 100 || i === 0 ? 0 : 1) + " " + steps[i] + unit;
}
const bytes = (x) => scaled(x, "B", 1024);
const percent = (x) => digits(100 * x, Math.abs(x) < 0.1 ? 2 : 1) + " %";
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Prints a time without insignificant digits: 200 µs, 1.2 ms.
function round(ns) {
  const [unit, size] = Math.abs(ns) >= 1e9 ? ["s", 1e9] : Math.abs(ns) >= 1e6 ? ["ms", 1e6] : Math.abs(ns) >= 1e3 ? ["µs", 1e3] : ["ns", 1];
  return ns === 0 ? "0" : (ns / size).toLocaleString("en-US", {maximumFractionDigits: 3}) + " " + unit;
}
// Returns the distance of ticks: 1, 2 or 5 times a power of the base, so that about `count` ticks fit.
function distance(range, count, base = 10) {
  const least = Math.max(range, Number.MIN_VALUE) / count, power = Math.pow(base, Math.floor(Math.log(least) / Math.log(base)));
  const factors = base === 10 ? [1, 2, 5, 10] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  return power * factors.find((factor) => power * factor >= least * 0.999999);
}
function ticks(top, count, base) {
  const step = distance(top, count, base);
  return Array.from({length: Math.floor(top / step + 1.000001)}, (_, i) => i * step);
}

// The kinds of operations that take the most time have their own colours; the others share one. Gaps and causes of slowness
// have other colours, and stripes.
const categoryTimes = new Map();
for (const op of D.ops) categoryTimes.set(op.category, (categoryTimes.get(op.category) ?? 0) + op.self_ns);
const categories = [...categoryTimes.keys()].sort((a, b) => categoryTimes.get(b) - categoryTimes.get(a));
const ownColors = 8;
const colorName = (category) => { const i = categories.indexOf(category); return i >= 0 && i < ownColors ? "--c" + i : "--c-other"; };
const colorOf = (category) => `var(${colorName(category)})`;
const lost = {
  compile: ["compiling", "--g0"], checkpoint: ["checkpoints", "--g1"], hashing: ["hashing files", "--g2"], validation: ["validation", "--g3"],
  input: ["waiting for data", "--g4"], transfer: ["copies", "--g5"], launch: ["recording and launching", "--g6"], host: ["other host work", "--g7"],
  disturbance: ["threads waiting for a CPU", "--g8"], first_run: ["first runs", "--g9"], contention: ["threads waiting for a CPU", "--g8"],
  communication: ["collectives that nothing hides", "--g5"], stolen: ["CPUs taken by the hypervisor", "--g10"], fallback: ["operations without a kernel", "--g11"],
};
const stripes = (color) => `repeating-linear-gradient(135deg, var(${color}) 0 4px, color-mix(in srgb, var(${color}) 45%, var(--panel)) 4px 7px)`;
const opAt = new Map(D.ops.map((op, i) => [op.program + " " + op.op, i]));

// ---- overview
function overview() {
  $("command").textContent = D.about.command || "a profile";
  $("about").textContent = [D.about.cpu, D.about.threads + " threads", D.about.host, "weft " + D.about.version,
    D.about.unix_ns ? new Date(D.about.unix_ns / 1e6).toLocaleString() : ""].filter(Boolean).join(" · ");
  for (const note of D.notes) $("notes").append(el("li", {}, note));
  const wall = D.device.wall_ns || 1, found = D.diagnosis.findings.length;
  const figures = [
    [D.steps.length ? time(D.step_ns_p50) : "none", D.steps.length ? `a step, the median of ${D.steps.length}; eight of ten take ${time(D.step_ns_p10)} to ${time(D.step_ns_p90)}` : "no step has an end and one before"],
    [percent(D.device.busy_ns / wall), "of the time the device was busy"],
    [time(D.device.gap_ns), "gaps between " + digits(D.device.launches, 0) + " executions"],
    [String(found), (found === 1 ? "finding" : "findings") + (D.steps.length ? `; an average step loses ${time(1e6 * D.diagnosis.lost_ms)}` : ""), "#diagnostics"],
    [bytes(D.memory.peak), "memory at its peak"],
    [D.recording_share == null ? "unknown" : percent(D.recording_share), "cost of recording"],
  ];
  if (D.dropped) $("notes").append(el("li", {}, `${digits(D.dropped, 0)} events of ${digits(D.events + D.dropped, 0)} were dropped`));
  for (const [value, text, href] of figures)
    $("figures").append(el(href ? "a" : "div", href ? {className: "figure", href} : {className: "figure"}, el("b", {}, value), el("span", {}, text)));

  const bar = el("div", {className: "bar"}), legend = el("div", {className: "legend"});
  const add = (name, background, ns) => {
    if (ns < 0.00005 * wall) return;
    bar.append(el("i", {style: `width:${100 * ns / wall}%;background:${background}`, title: `${name}: ${time(ns)}`}));
    legend.append(el("span", {}, el("i", {style: `background:${background}`}), name, el("b", {}, percent(ns / wall))));
  };
  for (const category of categories.slice(0, ownColors)) add(category, colorOf(category), categoryTimes.get(category));
  const others = categories.slice(ownColors);
  add(others.length === 1 ? others[0] : `${others.length} other kinds`, "var(--c-other)", others.reduce((sum, c) => sum + categoryTimes.get(c), 0));
  for (const [cause, ns] of Object.entries(D.device.gaps).sort((a, b) => b[1] - a[1])) add("gap: " + lost[cause][0], stripes(lost[cause][1]), ns);
  $("breakdown").append(bar, legend);
  stepsChart();
}

// Draws with the available width, and again when it changes.
function fitted(element, draw) {
  let width = 0;
  const fit = () => {
    const now = Math.max(element.clientWidth, 320);
    if (now === width) return;
    width = now;
    element.replaceChildren(draw(width));
  };
  fit();
  new ResizeObserver(fit).observe(element);
}
const label = (x, y, text, anchor = "start") => Object.assign(el("text", {x, y, "text-anchor": anchor}), {textContent: text});
const hatched = () => el("defs", {}, ...Object.values(lost).map(([, color]) => {
  const pattern = el("pattern", {id: "hatch" + color, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"});
  pattern.append(el("rect", {width: 6, height: 6, style: `fill:color-mix(in srgb, var(${color}) 45%, var(--panel))`}), el("rect", {width: 3.5, height: 6, style: `fill:var(${color})`}));
  return pattern;
}));

function stepsChart() {
  $("steps-title").textContent = D.steps.length ? `Each step, by ${D.step_source}` : "";
  if (!D.steps.length) return;
  const stride = Math.ceil(D.steps.length / 400), shown = D.steps.filter((_, i) => i % stride === 0);
  const walls = shown.map((s) => s.wall_ns).sort((a, b) => a - b);
  // One slow step, such as the compilation of a new shape, must not flatten all others.
  const most = Math.min(walls[walls.length - 1], 4 * walls[Math.floor(walls.length / 2)]) || 1, distanceOfTicks = distance(most, 4);
  const top = Math.ceil(most / distanceOfTicks - 1e-9) * distanceOfTicks, slowest = walls[walls.length - 1];
  const used = new Map();
  const parts = (step) => {
    const slow = Object.entries(step.slow_ns), computing = step.busy_ns - step.exposed_ns - slow.reduce((sum, [, ns]) => sum + ns, 0);
    return [["computing", "var(--busy)", computing], ...[...slow, ["communication", step.exposed_ns], ...Object.entries(step.gap_ns)].map(([cause, ns]) => [lost[cause][0], lost[cause][1], ns])].filter((part) => part[2] > 0);
  };
  fitted($("steps"), (width) => {
    const height = 170, left = 64, bottom = 20, over = 10;
    const svg = el("svg", {width, height, viewBox: `0 0 ${width} ${height}`}, hatched());
    for (const t of ticks(top, 4)) {
      const y = over + (height - bottom - over) * (1 - t / top);
      svg.append(el("line", {class: "grid", x1: left, x2: width, y1: y, y2: y}), label(left - 8, y + 4, round(t), "end"));
    }
    const w = Math.min((width - left) / shown.length, 60);
    shown.forEach((step, i) => {
      let y = height - bottom;
      const g = el("g", {}), stack = parts(step);
      for (const [name, color, ns] of stack) {
        used.set(name, color);
        const h = Math.min((height - bottom - over) * ns / top, y - over);
        if (h <= 0) continue;
        y -= h;
        g.append(el("rect", {x: left + i * w + w * 0.08, y, width: w * 0.84, height: h, style: `fill:${color.startsWith("var") ? color : `url(#hatch${color})`}`}));
      }
      g.append(Object.assign(el("title", {}), {textContent: `step ${step.number}: ${time(step.wall_ns)}, ` + stack.map((part) => part[0] + " " + time(part[2])).join(", ")}));
      svg.append(g);
    });
    svg.append(label(left, height - 4, "step " + shown[0].number));
    if (w * shown.length > 100) svg.append(label(left + w * shown.length, height - 4, String(shown[shown.length - 1].number), "end"));
    return svg;
  });
  const legend = el("div", {className: "legend"});
  for (const [name, color] of used) legend.append(el("span", {}, el("i", {style: `background:${color.startsWith("var") ? color : stripes(color)}`}), name));
  if (slowest > top) legend.append(el("span", {}, `bars end at ${round(top)}; the slowest step took ${time(slowest)}`));
  $("steps").after(legend);
}

// The meaning of spans, by their category.
const kinds = {host: "the host records and launches", wait: "the host waits", step: "a step, on the host", input: "the step waits for its data", loader: "a loader makes data",
  compile: "compiling", queue: "launched, not yet running", device: "an execution", copy: "a copy between host and device", checkpoint: "a checkpoint", hash: "hashing", validation: "validation"};

// ---- timeline: lanes of spans, each sorted by begin
const timeline = {
  lanes: D.timeline.lanes, names: D.timeline.names, begin: 0, end: 1, hover: null, find: "",
  row: 17, labels: 150, axis: 22, height: 22,

  start() {
    this.full = [0, Math.max(D.timeline.length, 1)];
    [this.begin, this.end] = this.full;
    this.canvas = $("timeline-canvas");
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.pow(1.0015, event.deltaY), this.at(event.offsetX));
      if (event.deltaX) this.move(event.deltaX * (this.end - this.begin) / this.canvas.clientWidth);
    }, {passive: false});
    let drag = null;
    this.canvas.addEventListener("pointerdown", (event) => { drag = event.offsetX; this.moved = false; this.canvas.setPointerCapture(event.pointerId); });
    this.canvas.addEventListener("pointermove", (event) => {
      if (drag != null) {
        this.moved = this.moved || Math.abs(event.offsetX - drag) > 3;
        this.move((drag - event.offsetX) * (this.end - this.begin) / (this.canvas.clientWidth - this.labels));
        drag = event.offsetX;
      }
      this.point(event);
    });
    this.canvas.addEventListener("pointerup", () => { drag = null; });
    this.canvas.addEventListener("pointerleave", () => { this.hover = null; $("tip").style.display = "none"; this.draw(); });
    this.canvas.addEventListener("click", () => { if (!this.moved && this.hover && this.hover.op != null) choose(this.hover.op, true); });
    this.canvas.addEventListener("keydown", (event) => {
      const middle = (this.begin + this.end) / 2, span = this.end - this.begin;
      const actions = {w: () => this.zoom(0.7, middle), s: () => this.zoom(1 / 0.7, middle), a: () => this.move(-0.2 * span), d: () => this.move(0.2 * span),
        ArrowLeft: () => this.move(-0.2 * span), ArrowRight: () => this.move(0.2 * span), 0: () => this.show(...this.full)};
      if (actions[event.key]) { actions[event.key](); event.preventDefault(); }
    });
    for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => {
      const factor = button.dataset.zoom;
      if (factor === "step") this.showStep();
      else if (factor === "0") this.show(...this.full);
      else this.zoom(Number(factor), (this.begin + this.end) / 2);
    });
    $("timeline-find").addEventListener("input", (event) => { this.find = event.target.value.toLowerCase(); this.draw(); });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    if (D.timeline.note) $("timeline-note").textContent = D.timeline.note;
    this.showStep();
  },

  showStep() {
    const step = D.steps.filter((s) => s.begin >= 0 && s.begin + s.wall_ns <= this.full[1]).at(-1);
    if (!step) return this.show(...this.full);
    this.show(step.begin - 0.06 * step.wall_ns, step.begin + 1.06 * step.wall_ns);
  },
  at(x) { return this.begin + (x - this.labels) / (this.canvas.clientWidth - this.labels) * (this.end - this.begin); },
  x(t) { return this.labels + (t - this.begin) / (this.end - this.begin) * (this.canvas.clientWidth - this.labels); },
  zoom(factor, around) { this.show(around - (around - this.begin) * factor, around + (this.end - around) * factor); },
  move(by) { this.show(this.begin + by, this.end + by, true); },
  show(begin, end, moves = false) {
    const least = 50, whole = this.full[1] - this.full[0], span = Math.min(Math.max(end - begin, least), 1.02 * whole);
    begin = Math.min(Math.max(begin, this.full[0] - 0.01 * whole), this.full[1] + 0.01 * whole - span);
    this.begin = begin;
    this.end = begin + span;
    this.arrange(moves);
    this.draw();
  },
  // Rows are shown if something lies in them. While the view moves, no row disappears, so that nothing jumps under the pointer.
  arrange(moves) {
    let y = this.axis;
    for (const lane of this.lanes) {
      const rows = new Set(moves ? lane.rows : []);
      for (let i = this.spans(lane); i < lane.spans.length && lane.spans[i][0] < this.end && rows.size < lane.depth; ++i)
        if (lane.spans[i][0] + lane.spans[i][1] >= this.begin) rows.add(lane.spans[i][5] || 0);
      lane.rows = [...rows].sort((a, b) => a - b);
      lane.y = y;
      if (lane.rows.length) y += lane.rows.length * this.row + 7;
    }
    this.height = y + 4;
    this.canvas.style.height = this.height + "px";
  },
  // The first span of a lane that may reach into the view; its parents may begin long before.
  spans(lane) {
    const list = lane.spans;
    let low = 0, high = list.length;
    const from = this.begin - (lane.longest || 0);
    while (low < high) { const middle = (low + high) >> 1; if (list[middle][0] < from) low = middle + 1; else high = middle; }
    return low;
  },
  color(lane, span) {
    const op = D.ops[span[3] != null ? opAt.get(span[3] + " " + span[4]) : -1];
    if (op && span[4] >= 0) return css(colorName(op.category));
    const category = D.timeline.categories[span[2]];
    return css({step: "--line", wait: "--line", host: "--g6", compile: "--g0", checkpoint: "--g1", hash: "--g2", validation: "--g3", input: "--g4",
      loader: "--g4", copy: "--g5", queue: "--g7", device: "--busy"}[category] || "--g7");
  },
  isPale(span) { return ["step", "wait"].includes(D.timeline.categories[span[2]]); },

  draw() {
    const canvas = this.canvas, ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
    canvas.width = width * ratio;
    canvas.height = this.height * ratio;
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    g.font = "11px system-ui, DejaVu Sans, sans-serif";
    const soft = css("--soft"), ink = css("--ink"), line = css("--line"), ground = css("--panel");
    // Late in the run, ticks count from a round time before the view, which is printed at the left, so that their numbers stay
    // short.
    const step = distance(this.end - this.begin, Math.max(3, width / 160)), base = this.begin < 100 * step ? 0 : Math.floor(this.begin / (10 * step)) * 10 * step;
    g.fillStyle = soft;
    g.strokeStyle = line;
    if (base > 0) g.fillText(round(base) + " +", 10, 12);
    const shown = [];
    for (let t = Math.ceil(this.begin / step) * step; t < this.end; t += step) {
      const x = this.x(t);
      if (x < this.labels) continue;
      g.beginPath(); g.moveTo(x, 16); g.lineTo(x, this.height); g.stroke();
      const text = round(Math.round(t - base)), length = g.measureText(text).width;
      const left = Math.min(x + 3, width - length - 3);
      if (shown.length && left < shown.at(-1).right + 6) continue;
      shown.push({text, left, right: left + length});
      g.fillText(text, left, 12);
    }
    canvas.dataset.ticks = JSON.stringify(shown);
    let drawn = 0;
    const colors = new Map();
    for (const lane of this.lanes) {
      if (!lane.rows.length) continue;
      let lastX = [], list = lane.spans;
      for (let i = this.spans(lane); i < list.length && list[i][0] < this.end; ++i) {
        const s = list[i];
        if (s[0] + s[1] < this.begin) continue;
        const depth = lane.rows.indexOf(s[5] || 0), x0 = Math.max(this.x(s[0]), this.labels), x1 = Math.max(this.x(s[0] + s[1]), x0 + 0.7);
        if (x1 <= (lastX[depth] ?? -1) + 0.35) continue;
        lastX[depth] = x1;
        const key = s[4] >= 0 && s[3] != null ? s[3] + " " + s[4] : s[2];
        if (!colors.has(key)) colors.set(key, this.color(lane, s));
        const found = this.find && this.names[s[2]].toLowerCase().includes(this.find);
        g.globalAlpha = this.find && !found ? 0.15 : lane.group === "queue" ? 0.55 : 1;
        g.fillStyle = colors.get(key);
        const y = lane.y + depth * this.row;
        g.fillRect(x0, y, x1 - x0 - (x1 - x0 > 3 ? 0.6 : 0), this.row - 2);
        ++drawn;
        if (x1 - x0 > 34) {
          g.fillStyle = this.isPale(s) ? ink : "#fff";
          g.save(); g.beginPath(); g.rect(x0, y, x1 - x0 - 3, this.row); g.clip();
          g.fillText(this.names[s[2]], x0 + 4, y + 11);
          g.restore();
        }
      }
      g.globalAlpha = 1;
      g.fillStyle = ground;
      g.fillRect(0, lane.y - 2, this.labels - 1, lane.rows.length * this.row + 6);
      g.fillStyle = soft;
      g.save(); g.beginPath(); g.rect(0, lane.y - 2, this.labels - 6, this.row); g.clip();
      g.fillText(lane.name, 10, lane.y + 11);
      g.restore();
    }
    this.arrows(g, ink);
    canvas.dataset.begin = this.begin;
    canvas.dataset.end = this.end;
    canvas.dataset.drawn = drawn;
  },
  // Lines from each launch on the host to its execution, while they can be told apart.
  arrows(g, color) {
    const visible = D.timeline.flows.filter((f) => f[2] >= this.begin && f[0] <= this.end);
    if (visible.length > 40) return;
    g.strokeStyle = color;
    g.globalAlpha = 0.35;
    for (const [from, fromLane, to, toLane] of visible) {
      if (!this.lanes[fromLane].rows.length || !this.lanes[toLane].rows.length) continue;
      const x0 = this.x(from), x1 = this.x(to), y0 = this.lanes[fromLane].y + 8, y1 = this.lanes[toLane].y;
      if (x0 < this.labels || x1 < this.labels) continue;
      g.beginPath(); g.moveTo(x0, y0); g.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1); g.stroke();
    }
    g.globalAlpha = 1;
  },
  point(event) {
    const t = this.at(event.offsetX), y = event.offsetY;
    let best = null;
    for (const lane of this.lanes) {
      if (y < lane.y || y >= lane.y + lane.rows.length * this.row) continue;
      const depth = lane.rows[Math.floor((y - lane.y) / this.row)], slack = (this.end - this.begin) / this.canvas.clientWidth;
      for (let i = this.spans(lane); i < lane.spans.length && lane.spans[i][0] < t + slack; ++i) {
        const s = lane.spans[i];
        if ((s[5] || 0) === depth && s[0] - slack <= t && t <= s[0] + s[1] + slack) best = {lane, s};
      }
    }
    const tip = $("tip");
    this.hover = best && {op: best.s[3] != null ? opAt.get(best.s[3] + " " + best.s[4]) : null};
    this.canvas.style.cursor = this.hover && this.hover.op != null ? "pointer" : "grab";
    if (!best) { tip.style.display = "none"; return; }
    const op = this.hover.op != null ? D.ops[this.hover.op] : null;
    const category = D.timeline.categories[best.s[2]];
    tip.textContent = `${this.names[best.s[2]]}  ${time(best.s[1])}` + (op || category === "thunk" ? "" : `\n${kinds[category] || category}`) + (op ? `\n${[op.category, op.module, op.source].filter(Boolean).join(" · ")}` : "");
    tip.style.whiteSpace = "pre-line";
    tip.style.display = "block";
    tip.style.left = Math.min(event.offsetX + 14, this.canvas.clientWidth - tip.offsetWidth - 6) + "px";
    tip.style.top = Math.min(event.offsetY + 14, this.height - tip.offsetHeight - 4) + "px";
  },
};

// ---- a sortable table: [key, title, how to show it, class, width] per column; columns of class text sort ascending at first
function sortable(table, rows, columns, options = {}) {
  let key = options.key, down = options.down ?? true, limit = options.limit ?? Infinity;
  const head = el("tr");
  for (const [column, title, , className = "", width] of columns) {
    const th = el("th", {"data-key": column, className, tabIndex: 0, style: width ? `width:${typeof width === "number" ? width + "px" : width}` : ""}, title);
    const sort = () => { down = key === column ? !down : !className.includes("text"); key = column; draw(); };
    th.addEventListener("click", sort);
    th.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
    head.append(th);
  }
  table.tHead.append(head);
  function draw() {
    const shown = rows.filter((row) => !options.keep || options.keep(row));
    shown.sort((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0) * (down ? -1 : 1));
    for (const th of head.children) {
      if (th.dataset.key === key) th.setAttribute("aria-sort", down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    }
    const body = el("tbody");
    for (const row of shown.slice(0, limit)) {
      const tr = el("tr");
      for (const [column, , show, className] of columns) {
        const cell = show ? show(row) : String(row[column] ?? "");
        const td = el("td", {className: className || ""}, ...(Array.isArray(cell) ? cell : [cell]));
        if (className) td.title = td.textContent;
        tr.append(td);
      }
      if (options.choose) tr.addEventListener("click", () => options.choose(row));
      body.append(tr);
    }
    table.tBodies[0].replaceWith(body);
    if (options.drawn) options.drawn(shown.length, Math.min(limit, shown.length));
  }
  draw();
  return {draw, all: () => { limit = Infinity; draw(); }};
}

function operations() {
  const top = Math.max(...D.ops.map((op) => op.share), 1e-9);
  let wanted = "", category = "";
  const text = (op) => [op.name, op.category, op.module, op.source, op.program_name].join(" ").toLowerCase();
  const texts = new Map(D.ops.map((op) => [op, text(op)]));
  const file = (op) => op.source.split("/").pop();
  for (const op of D.ops) op.where = [op.module, file(op)].filter(Boolean).join("  ");
  const view = sortable($("ops"), D.ops, [
    ["rank", "rank", null, "", 68],
    ["name", "name", (op) => [el("span", {className: "swatch", style: `background:${colorOf(op.category)};margin-right:8px`}), "%" + op.name], "text name"],
    ["category", "category", null, "text", "9%"],
    ["occurrences", "runs", (op) => digits(op.occurrences, 0), "", 58],
    ["self_ns", "self", (op) => time(op.self_ns), "", 86],
    ["share", "share", (op) => [el("i", {className: "share", style: `width:${Math.round(34 * op.share / top)}px`}), percent(op.share)], "", 106],
    ["cumulative_share", "sum", (op) => percent(op.cumulative_share), "extra", 74],
    ["median_ns", "median", (op) => time(op.median_ns), "", 86],
    ["p90_ns", "p90", (op) => time(op.p90_ns), "", 86],
    ["first_ns", "first", (op) => time(op.first_ns), "extra", 86],
    ["flops_per_s", "flop/s", (op) => op.flops_per_s ? scaled(op.flops_per_s, "") : "", "", 64],
    ["bytes_per_s", "bytes/s", (op) => op.bytes_per_s ? scaled(op.bytes_per_s, "B") : "", "extra", 76],
    ["bound", "bound", null, "text", 82],
    ["over", "× roof", (op) => op.over ? digits(op.over, op.over < 100 ? 1 : 0) : "", "", 62],
    ["where", "module, source", null, "text place", "15%"],
    ["program_name", "program", null, "text place extra", "10%"],
  ], {key: "rank", down: false, limit: 60, choose: (op) => choose(D.ops.indexOf(op), true),
    keep: (op) => (!category || op.category === category) && wanted.split(/\s+/).every((word) => texts.get(op).includes(word)),
    drawn: (found, shown) => {
      $("shown").textContent = shown === found ? `${found} operations` : `${shown} of ${found} operations`;
      $("more").hidden = shown === found;
    }});
  $("search").addEventListener("input", (event) => { wanted = event.target.value.toLowerCase(); view.draw(); });
  $("category").append(el("option", {value: ""}, "all categories"), ...categories.map((c) => el("option", {value: c}, c)));
  $("category").addEventListener("change", (event) => { category = event.target.value; view.draw(); });
  $("more").addEventListener("click", () => view.all());
}

// ---- one operation: its figures, the contents of its fusion, and the graph around it
const program = (op) => D.programs[op.program];
const instructionsOf = (p) => p.computations.length ? p.computations.find((c) => c.entry).instructions : [];

function choose(index, scroll) {
  const op = D.ops[index];
  if (!op) return;
  const facts = [["category", op.category], ["runs", digits(op.occurrences, 0)], ["total", time(op.total_ns)],
    ["first run", time(op.first_ns)], ["later runs: median", time(op.median_ns)], ["eight of ten", time(op.p10_ns) + " – " + time(op.p90_ns)], ["fastest, slowest", time(op.min_ns) + ", " + time(op.max_ns)], ["share of busy time", percent(op.share)],
    ["work", op.flops ? scaled(op.flops, "flop") : ""], ["bytes", op.bytes ? bytes(op.bytes) : ""], ["rate", op.flops_per_s ? scaled(op.flops_per_s, "flop/s") : ""],
    ["bandwidth", op.bytes_per_s ? scaled(op.bytes_per_s, "B/s") : ""], ["bound by", op.bound], ["predicted at the roof", op.predicted_ns ? time(op.predicted_ns) : ""],
    ["lost against the roof", op.predicted_ns ? time(Math.max(0, op.self_ns - op.predicted_ns * op.occurrences)) : ""], ["program", op.program_name]];
  const detail = el("div", {}, el("h1", {}, "%" + op.name),
    el("p", {className: "about"}, [op.module, op.source].filter(Boolean).join(" · ")),
    el("div", {className: "facts"}, ...facts.filter((f) => f[1]).map(([k, v]) => el("div", {}, el("span", {}, k), el("b", {}, v)))));
  const p = program(op), instruction = instructionsOf(p).find((i) => i.name === op.hlo);
  if (instruction) {
    const fused = p.computations.filter((c) => instruction.calls.includes(c.name));
    for (const computation of fused) {
      detail.append(el("h3", {}, `Fused in it: ${computation.instructions.filter((i) => i.opcode !== "parameter").length} operations`),
        el("pre", {className: "fused"}, computation.instructions.map((i) => i.text).join("\n")));
    }
    if (!fused.length) detail.append(el("h3", {}, "Instruction"), el("pre", {}, instruction.text));
    detail.append(el("h3", {}, "The graph around it"), neighbourhood(p, instruction, op));
  } else if (op.op >= 0) {
    detail.append(el("p", {className: "hint"}, "Its contents are unknown: the program was compiled before the recording began."));
  }
  $("detail").replaceChildren(detail);
  if (scroll) $("operation").scrollIntoView({behavior: "smooth"});
}

function neighbourhood(p, center, op) {
  const list = instructionsOf(p), byName = new Map(list.map((i) => [i.name, i]));
  // Elements of tuples are shown as the instruction that makes the tuple.
  const maker = (name) => { let i = byName.get(name); while (i && i.opcode === "get-tuple-element") i = byName.get(i.operands[0]); return i; };
  const producers = (i) => i.opcode === "parameter" || i.opcode === "constant" ? [] : [...new Set(i.operands.map(maker).filter(Boolean))];
  const users = (i) => [...new Set(list.filter((other) => other !== i && other.opcode !== "get-tuple-element" && other.opcode !== "tuple" && producers(other).includes(i)))];
  const most = 7, columns = [[], [], [center], [], []], seen = new Set([center]), edges = [];
  const grow = (from, to, next, edge) => {
    for (const i of columns[from]) for (const other of next(i).slice(0, most)) {
      if (!seen.has(other)) {
        if (columns[to].length >= 2 * most) continue;
        seen.add(other);
        columns[to].push(other);
      }
      edges.push(edge(i, other));
    }
  };
  grow(2, 1, producers, (a, b) => [b, a]);
  grow(1, 0, producers, (a, b) => [b, a]);
  grow(2, 3, users, (a, b) => [a, b]);
  grow(3, 4, users, (a, b) => [a, b]);
  const w = 216, h = 44, dx = 264, dy = 56, used = columns.filter((c) => c.length);
  const rows = Math.max(...columns.map((c) => c.length)), height = rows * dy + 20, place = new Map();
  used.forEach((column, c) => column.forEach((i, r) => place.set(i, [14 + c * dx, height / 2 + (r - (column.length - 1) / 2) * dy - h / 2])));
  const width = used.length * dx - (dx - w) + 28;
  const svg = el("svg", {width, height, viewBox: `0 0 ${width} ${height}`});
  for (const [a, b] of edges) {
    const [x0, y0] = place.get(a), [x1, y1] = place.get(b);
    if (x1 <= x0) continue;
    svg.append(el("path", {d: `M${x0 + w},${y0 + h / 2} C${x0 + w + 28},${y0 + h / 2} ${x1 - 28},${y1 + h / 2} ${x1},${y1 + h / 2}`}));
  }
  const cut = (text, n) => text.length > n ? text.slice(0, n - 1) + "…" : text;
  for (const [i, [x, y]] of place) {
    const index = D.ops.findIndex((o) => o.program === op.program && o.hlo === i.name);
    const g = el("g", {class: (index >= 0 ? "op" : "") + (i === center ? " center" : ""), transform: `translate(${x},${y})`}, el("rect", {width: w, height: h, rx: 6}));
    if (index >= 0) g.append(el("rect", {width: 5, height: h, rx: 2, style: `fill:${colorOf(D.ops[index].category)};stroke:none`}));
    g.append(Object.assign(el("text", {x: 13, y: 18}), {textContent: cut(i.opcode === "parameter" ? "input " + i.operands[0] : i.name, 30)}),
      Object.assign(el("text", {x: 13, y: 34, class: "soft"}), {textContent: cut(i.shape.replace(/\{[^}]*\}/g, "") + (index >= 0 ? "  " + time(D.ops[index].median_ns) : ""), 36)}),
      Object.assign(el("title", {}), {textContent: i.text}));
    if (index >= 0) g.addEventListener("click", () => choose(index, false));
    svg.append(g);
  }
  return el("div", {className: "graph"}, svg);
}

// ---- roofline, both axes logarithmic
function roofline() {
  const points = D.ops.map((op, index) => ({op, index, x: op.flops / op.bytes, y: op.flops_per_s})).filter((p) => p.x > 0 && isFinite(p.x) && p.y > 0);
  const {flops, memory_bytes: memory, cache_bytes: cache} = D.roofs;
  if (!points.length || !flops) { $("roofline-chart").append(el("p", {className: "hint"}, "No operation with known work, or no roofs: the recording did not end by itself.")); return; }
  const log = Math.log10, x0 = Math.floor(log(Math.min(...points.map((p) => p.x), flops / cache))), x1 = Math.ceil(log(Math.max(...points.map((p) => p.x), flops / memory)) + 0.2);
  const y0 = Math.floor(log(Math.min(...points.map((p) => p.y)))), y1 = Math.ceil(log(flops) + 0.1);
  const most = Math.max(...points.map((p) => p.op.self_ns));
  points.sort((a, b) => b.op.self_ns - a.op.self_ns);
  fitted($("roofline-chart"), (width) => {
    const height = 420, left = 84, bottom = 36;
    const X = (v) => left + (log(v) - x0) / (x1 - x0) * (width - left - 16), Y = (v) => 10 + (y1 - log(v)) / (y1 - y0) * (height - bottom - 10);
    const svg = el("svg", {width, height, viewBox: `0 0 ${width} ${height}`});
    for (let e = x0; e <= x1; ++e)
      svg.append(el("line", {class: "grid", x1: X(10 ** e), x2: X(10 ** e), y1: 10, y2: height - bottom}), label(X(10 ** e), height - bottom + 15, String(10 ** e), "middle"));
    for (let e = y0; e <= y1; ++e)
      svg.append(el("line", {class: "grid", x1: left, x2: width - 16, y1: Y(10 ** e), y2: Y(10 ** e)}), label(left - 8, Y(10 ** e) + 4, scaled(10 ** e, "flop/s"), "end"));
    svg.append(label(width - 16, height - 4, "flop per byte", "end"));
    const roof = (bandwidth, text, dash) => {
      if (!bandwidth) return;
      const knee = flops / bandwidth, from = Math.max(10 ** x0, 10 ** y0 / bandwidth);
      const slope = knee > from ? Math.atan2(Y(flops) - Y(from * bandwidth), X(knee) - X(from)) * 180 / Math.PI : 0;
      svg.append(el("path", {d: `M${X(from)},${Y(from * bandwidth)} L${X(knee)},${Y(flops)} L${X(10 ** x1)},${Y(flops)}`, style: `fill:none;stroke:var(--soft);stroke-width:1.5;${dash}`}),
        Object.assign(el("text", {x: 24, y: -5, transform: `translate(${X(from)},${Y(from * bandwidth)}) rotate(${slope})`}), {textContent: `${text} ${scaled(bandwidth, "B/s")}`}));
    };
    roof(memory, "memory", "");
    roof(cache, "caches", "stroke-dasharray:5 4");
    svg.append(label(width - 22, Y(flops) - 7, "matrix products " + scaled(flops, "flop/s"), "end"));
    for (const p of points) {
      const dot = el("circle", {cx: X(p.x), cy: Y(p.y), r: 2.5 + 15 * Math.sqrt(p.op.self_ns / most), style: `fill:${colorOf(p.op.category)};fill-opacity:.62;cursor:pointer`},
        Object.assign(el("title", {}), {textContent: `%${p.op.name}: ${scaled(p.y, "flop/s")}, ${digits(p.x, 2)} flop per byte, ${percent(p.op.share)}`}));
      dot.addEventListener("click", () => choose(p.index, true));
      svg.append(dot);
    }
    return svg;
  });
}

// ---- memory
function area(points, length, mark, name) {
  const box = el("div", {className: "chart"});
  const most = Math.max(...points.map((p) => p[1]), 1), step = distance(most, 4, 1024), top = Math.ceil(most / step - 1e-9) * step;
  const draw = (width) => {
    const height = 190, left = 76, bottom = 20, right = 8;
    const X = (t) => left + t / Math.max(length, 1) * (width - left - right), Y = (v) => 10 + (1 - v / top) * (height - bottom - 10);
    let d = `M${X(points[0][0])},${Y(0)}`;
    points.forEach(([t, v], i) => { d += ` L${X(t)},${Y(v)}`; if (i + 1 < points.length) d += ` L${X(points[i + 1][0])},${Y(v)}`; });
    d += ` L${X(length)},${Y(points.at(-1)[1])} L${X(length)},${Y(0)} Z`;
    const svg = el("svg", {width, height, viewBox: `0 0 ${width} ${height}`});
    for (const v of ticks(top, 4, 1024)) svg.append(el("line", {class: "grid", x1: left, x2: width, y1: Y(v), y2: Y(v)}), label(left - 8, Y(v) + 4, v === 0 ? "0" : bytes(v), "end"));
    for (const t of ticks(length, Math.max(2, width / 160)))
      svg.append(label(X(t), height - 4, name(t), t === 0 ? "start" : X(t) > width - 30 ? "end" : "middle"));
    svg.append(el("path", {d, style: "fill:var(--c1);fill-opacity:.35;stroke:var(--c1);stroke-width:1.2"}));
    if (mark != null) svg.append(el("line", {x1: X(mark), x2: X(mark), y1: 6, y2: height - bottom, style: "stroke:var(--g0);stroke-dasharray:3 3"}));
    return svg;
  };
  return [box, () => fitted(box, draw)];
}

function memory() {
  const body = $("memory-body");
  const show = (title, points, length, mark, name) => {
    const [box, draw] = area(points, length, mark, name);
    body.append(el("h3", {}, title), box);
    draw();
  };
  if (D.memory.timeline.length > 1) show("In use on the device, over the recording", D.memory.timeline, D.memory.timeline.at(-1)[0], null, round);
  for (const p of D.memory.programs) {
    if (!p.live.length) continue;
    show(`${p.name}: by the memory plan, over the ${p.points.length} operations of one run in their order; ${bytes(p.peak)} at the peak, in %${p.at}`,
      p.points.map((v, i) => [i, v]), p.points.length, p.peak_at + 0.5, (i) => Number.isInteger(i) ? String(i) : "");
    const table = el("table", {}, el("thead"), el("tbody"));
    body.append(el("h3", {}, "What is alive at the peak, by the line that made it"), el("div", {className: "table-box", style: "max-height:300px"}, table));
    sortable(table, p.live, [["bytes", "bytes", (r) => bytes(r.bytes), "", 100], ["count", "values", null, "", 80], ["kind", "kind", null, "text", 130], ["module", "module", null, "text place", "40%"],
      ["source", "source", null, "text place"]], {key: "bytes"});
  }
  if (!body.children.length) body.append(el("p", {className: "hint"}, "Nothing ran on the device."));
}

// ---- diagnostics, and the comparison
// Tells what the time of a period that occurs once was spent on: {ms, computing, and the losses by cause}.
function once(when, parts) {
  if (!parts.ms) return "";
  const names = {computing: "computing", idle: "other work of the host", copied: "copying memory", contention: "threads waiting for a CPU"};
  const list = Object.entries(parts).filter(([name, ms]) => name !== "ms" && ms >= 0.0005).sort((a, b) => b[1] - a[1]);
  return `${when}: ${time(1e6 * parts.ms)}: ` + list.map(([name, ms]) => `${names[name] || lost[name][0]} ${time(1e6 * ms)}`).join(", ");
}

function diagnostics() {
  const d = D.diagnosis, box = $("findings");
  const say = (text) => text && box.append(el("p", {className: "about"}, text));
  if (D.steps.length) say(`An average step takes ${time(1e6 * d.step_ms)}: it computes ${time(1e6 * d.computing_ms)} and loses ${time(1e6 * d.lost_ms)}; half of the steps take ${time(d.step_ns_p50)} or less.`);
  if (!d.findings.length) box.append(el("p", {className: "hint"}, "No avoidable costs found."));
  for (const f of d.findings) {
    const costs = f.ms_per_step > 0;
    box.append(el("div", {className: "hint-card"},
      el("div", {className: "cost"}, costs ? time(1e6 * f.ms_per_step) : "—", el("small", {}, costs ? `of an average step, ${time(1e6 * f.ms_per_step_p50)} of the median one` : f.cost)),
      el("div", {className: "kind"}, f.title + (f.count > 1 ? `, ${digits(f.count, 0)} times` : "")),
      el("div", {}, f.reason), el("div", {className: "place"}, [f.subject, f.place].filter(Boolean).join(" · ")),
      el("div", {className: "remedy"}, "→ " + f.remedy)));
  }
  if (d.unexplained_ms >= 0.00005) {
    const parts = Object.entries(d.unexplained).map(([name, ms]) => `${name === "idle" ? "other gaps between executions" : (lost[name] || [name])[0]} ${time(1e6 * ms)}`);
    say(`Unexplained: ${time(1e6 * d.unexplained_ms)} of an average step: ${parts.join(", ")}.`);
  }
  say(once(D.steps.length ? "Before the first step was done" : "In all", d.startup));
  say(once("After the last step", d.ending));
}

// ---- communication: what each collective cost, then the tensors that collectives carry, and why
function communication() {
  const c = D.communication, all = c.collectives;
  if (!all.length) return;
  $("communication").hidden = false;
  $("communication-about").textContent = `${all.length} collectives took ${time(c.communication_ns)} in all steps; for ${percent(c.exposed_share)} of it, nothing else ran: that is exposed. Predicted is what the link takes.`;
  const rows = all.map((r) => ({...r, index: D.ops.findIndex((op) => "%" + op.name === r.name && op.program_name === r.program), count: r.tensors.length}));
  sortable($("collectives"), rows, [["name", "collective", null, "text name", "30%"], ["exposed_ns", "exposed", (r) => time(r.exposed_ns)], ["measured_ns", "measured", (r) => time(r.measured_ns)],
    ["predicted_ns", "predicted", (r) => time(r.predicted_ns)], ["occurrences", "runs", (r) => digits(r.occurrences, 0)], ["sent_bytes", "each device sends", (r) => bytes(r.sent_bytes)],
    ["count", "tensors", (r) => digits(r.count, 0)]], {key: "exposed_ns", choose: (r) => r.index >= 0 && choose(r.index, true)});
  const tensors = rows.flatMap((r) => r.tensors.map((t) => ({...t, name: r.name, remedy: t.remedies.join("; ")})));
  if (!tensors.length) return;
  sortable($("exchanged"), tensors, [["sent_bytes", "sent", (t) => bytes(t.sent_bytes), "", 90], ["formula", "formula", null, "text", "20%"], ["axes", "along", null, "text", 80],
    ["name", "collective", null, "text name", "16%"], ["reason", "why", null, "text place"], ["remedy", "what would remove it", null, "text place", "25%"]], {key: "sent_bytes", limit: 200});
}

// ---- schedule: two steps of a program with several streams, coloured by batch, with the critical path and what each stream waits for
function schedule() {
  const s = D.schedule;
  if (!s) return;
  $("schedule").hidden = false;
  const width = 1100, left = 150, row = 34, gap = 12, top = 8, height = top + s.lanes.length * (row + gap) + 24;
  const x = (ns) => left + Math.min(Math.max(ns / s.length, 0), 1) * (width - left - 12), y = (lane) => top + lane * (row + gap);
  const first = s.batches[0], color = (batch) => `var(--c${(batch - first) % 8})`;
  const opOf = (bar) => D.ops[opAt.get(s.program + " " + bar[3])];
  const chart = el("svg", {viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": "what each stream does over time"},
    el("defs", {}, el("pattern", {id: "waits", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"}, el("rect", {width: 2.5, height: 6, fill: "var(--g0)"}))));
  s.lanes.forEach((name, lane) => chart.append(el("text", {x: 4, y: y(lane) + row / 2 + 4}, name), el("rect", {x: left, y: y(lane), width: width - left - 12, height: row, fill: "var(--line)", opacity: 0.45})));
  for (const [lane, begin, ns, awaited] of s.bubbles) {
    const bubble = el("rect", {x: x(begin), y: y(lane), width: Math.max(x(begin + ns) - x(begin), 0.3), height: row, fill: "url(#waits)", opacity: 0.55});
    bubble.append(el("title", {}, `${s.lanes[lane]} waits ${time(ns)} for ${awaited}`));
    chart.append(bubble);
  }
  for (const bar of s.bars) {
    const [lane, begin, ns, , batch, , critical] = bar, op = opOf(bar);
    const box = el("rect", {x: x(begin), y: y(lane) + 3, width: Math.max(x(begin + ns) - x(begin) - 0.2, 0.3), height: row - 10, fill: color(batch), style: "cursor:pointer"});
    box.append(el("title", {}, `${op ? op.name : "an operation"}, batch ${batch - first + 1}: ${time(ns)}` + (op ? `\n${[op.category, op.module, op.source].filter(Boolean).join(" · ")}` : "") + (critical ? "\non the critical path" : "")));
    if (op) box.addEventListener("click", () => choose(D.ops.indexOf(op), true));
    chart.append(box);
    if (critical) chart.append(el("rect", {x: x(begin), y: y(lane) + row - 5, width: Math.max(x(begin + ns) - x(begin), 0.5), height: 4, fill: "var(--ink)"}));
  }
  for (const t of ticks(s.length, 8)) chart.append(el("text", {x: x(t), y: height - 6, "text-anchor": "middle"}, round(t)));
  $("schedule-chart").append(chart);
  const critical = s.lanes.map((name, lane) => [name, s.bars.filter((bar) => bar[6] && bar[0] === lane).reduce((sum, bar) => sum + Math.min(bar[1] + bar[2], s.length) - Math.max(bar[1], 0), 0)]);
  $("schedule-about").textContent = `Two steps of ${D.programs[s.program].name}, ${time(s.length)} together. The critical path, black, spends ${critical.map(([name, ns]) => `${percent(ns / s.length)} on ${name}`).join(", ")}. To shorten a step, shorten what lies on it.`;
  const swatch = (fill, text) => el("span", {}, el("i", {style: `background:${fill}`}), text);
  $("schedule-legend").append(...s.batches.map((batch, i) => swatch(color(batch), `batch ${i + 1}`)), swatch("repeating-linear-gradient(45deg, var(--g0) 0 2px, transparent 2px 4px)", "waiting"), swatch("var(--ink)", "critical path"));
  const sums = new Map();
  for (const [lane, , ns, awaited] of s.bubbles) {
    const key = lane + " " + awaited, sum = sums.get(key) ?? {lane: s.lanes[lane], awaited, ns: 0, count: 0};
    sum.ns += ns; ++sum.count;
    sums.set(key, sum);
  }
  sortable($("bubbles"), [...sums.values()], [["lane", "stream", null, "text", "20%"], ["ns", "waits", (r) => time(r.ns), "", 110], ["count", "times", (r) => digits(r.count, 0), "", 80], ["awaited", "for", null, "text place"]], {key: "ns", limit: 12});
}

function compare() {
  if (!D.compare) return;
  $("compare").hidden = false;
  $("compare-about").textContent = D.compare.about;
  const delta = (r) => [el("span", {className: r.delta_ns < 0 ? "better" : "worse"}, (r.delta_ns > 0 ? "+" : "−") + time(Math.abs(r.delta_ns)))];
  sortable($("compare-table"), D.compare.rows.map((r) => ({...r, size: Math.abs(r.delta_ns)})), [["identity", "operation", null, "text name", "50%"], ["category", "category", null, "text", "20%"],
    ["before_ns", "before, a step", (r) => time(r.before_ns)], ["after_ns", "now, a step", (r) => time(r.after_ns)], ["size", "difference", delta],
    ["ratio", "ratio", (r) => r.ratio ? digits(r.ratio, 2) : "new or gone"]], {key: "size", limit: 200});
}

function theme() {
  const set = (dark) => { document.documentElement.classList.toggle("dark", dark); if (timeline.canvas) timeline.draw(); };
  set(matchMedia("(prefers-color-scheme: dark)").matches);
  $("theme").addEventListener("click", () => set(!document.documentElement.classList.contains("dark")));
}

theme();
for (const section of document.querySelectorAll("main section")) {
  if ((section.id === "compare" && !D.compare) || (section.id === "communication" && !D.communication.collectives.length) || (section.id === "schedule" && !D.schedule)) continue;
  const found = section.id === "diagnostics" && D.diagnosis.findings.length;
  $("nav").append(el("a", {href: "#" + section.id}, section.id + (found ? ` (${found})` : "")));
}
overview();
diagnostics();
schedule();
communication();
operations();
roofline();
memory();
compare();
timeline.start();
if (D.ops.length) choose(D.ops.findIndex((op) => op.op >= 0), false);
document.body.dataset.ready = "true";
