"use strict";
// What the page shows comes from one object, D; every text from a run reaches the page as text, never as markup.
const D = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

function el(tag, attributes = {}, ...children) {
  const svg = ["svg", "g", "rect", "path", "circle", "line", "text", "title"].includes(tag);
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

const categories = [...new Set(D.ops.map((op) => op.category))];
const colorOf = (category) => `var(--c${Math.max(categories.indexOf(category), 0) % 10})`;
const gapColors = {compile: "var(--c6)", input: "var(--c2)", transfer: "var(--c1)", launch: "var(--c4)", host: "var(--c9)"};
const gapTexts = {compile: "compiling", input: "waiting for data", transfer: "copies", launch: "recording and launching", host: "other host work"};
const opAt = new Map(D.ops.map((op, i) => [op.program + " " + op.op, i]));

// ---- overview
function overview() {
  $("command").textContent = D.about.command || "a profile";
  $("about").textContent = [D.about.cpu, D.about.threads + " threads", D.about.host, "weft " + D.about.version,
    D.about.unix_ns ? new Date(D.about.unix_ns / 1e6).toLocaleString() : ""].filter(Boolean).join(" · ");
  for (const note of D.notes) $("notes").append(el("li", {}, note));
  const wall = D.device.wall_ns || 1;
  const figures = [
    [time(D.step_ns_p50), "a step, the median of " + D.steps.length],
    [percent(D.device.busy_ns / wall), "of the time the device was busy"],
    [time(D.device.gap_ns), "gaps between " + digits(D.device.launches, 0) + " executions"],
    [bytes(D.memory.peak), "memory at its peak"],
    [D.recording_share == null ? "unknown" : percent(D.recording_share), "cost of recording"],
    [digits(D.dropped, 0), "events dropped of " + digits(D.events + D.dropped, 0)],
  ];
  for (const [value, text] of figures) $("figures").append(el("div", {className: "figure"}, el("b", {}, value), el("span", {}, text)));

  const parts = categories.map((category) => [category, colorOf(category),
    D.ops.filter((op) => op.category === category).reduce((sum, op) => sum + op.self_ns, 0)]).sort((a, b) => b[2] - a[2]);
  for (const [cause, ns] of Object.entries(D.device.gaps)) parts.push(["gap: " + gapTexts[cause], gapColors[cause], ns]);
  const bar = el("div", {className: "bar"}), legend = el("div", {className: "legend"});
  for (const [name, color, ns] of parts) {
    if (ns <= 0) continue;
    bar.append(el("i", {style: `width:${100 * ns / wall}%;background:${color}`, title: `${name}: ${time(ns)}`}));
    legend.append(el("span", {}, el("i", {style: `background:${color}`}), name, el("b", {}, percent(ns / wall))));
  }
  $("breakdown").append(bar, legend);
  stepsChart();
}

function stepsChart() {
  $("steps-title").textContent = D.steps.length ? `Each step, by ${D.step_source}` : "";
  if (!D.steps.length) return;
  const width = 1300, height = 150, left = 76, bottom = 18;
  const stride = Math.ceil(D.steps.length / 400), shown = D.steps.filter((_, i) => i % stride === 0);
  const walls = shown.map((s) => s.wall_ns).sort((a, b) => a - b);
  // One slow step, the compile of a new shape say, must not flatten all others.
  const top = Math.min(walls[walls.length - 1], 4 * walls[Math.floor(walls.length / 2)]) || 1;
  const svg = el("svg", {viewBox: `0 0 ${width} ${height}`});
  for (let i = 0; i <= 2; ++i) {
    const y = 8 + (height - bottom - 8) * (1 - i / 2);
    svg.append(el("line", {class: "grid", x1: left, x2: width, y1: y, y2: y}),
      Object.assign(el("text", {x: left - 8, y: y + 4, "text-anchor": "end"}), {textContent: time(top * i / 2)}));
  }
  const w = (width - left) / shown.length;
  shown.forEach((step, i) => {
    let y = height - bottom;
    const g = el("g", {});
    const stack = [["busy", "var(--busy)", step.busy_ns], ...Object.entries(step.gap_ns).map(([cause, ns]) => [gapTexts[cause], gapColors[cause], ns])];
    for (const [, color, ns] of stack) {
      const h = Math.min((height - bottom - 8) * ns / top, y - 2);
      if (h <= 0) continue;
      y -= h;
      g.append(el("rect", {x: left + i * w + w * 0.08, y, width: w * 0.84, height: h, style: `fill:${color}`}));
    }
    g.append(Object.assign(el("title", {}), {textContent: `step ${step.number}: ${time(step.wall_ns)}, ` + stack.filter((s) => s[2] > 0).map((s) => s[0] + " " + time(s[2])).join(", ")}));
    svg.append(g);
  });
  svg.append(Object.assign(el("text", {x: left, y: height - 4}), {textContent: "step " + shown[0].number}),
    Object.assign(el("text", {x: width, y: height - 4, "text-anchor": "end"}), {textContent: String(shown[shown.length - 1].number)}));
  $("steps").append(svg);
}

// ---- timeline: lanes of spans, each sorted by beginning
const timeline = {
  lanes: D.timeline.lanes, names: D.timeline.names, begin: 0, end: 1, hover: null, find: "",
  row: 17, labels: 150, axis: 22,

  start() {
    this.full = [0, Math.max(D.timeline.length, 1)];
    [this.begin, this.end] = this.full;
    this.canvas = $("timeline-canvas");
    let y = this.axis;
    for (const lane of this.lanes) {
      lane.y = y;
      y += (lane.depth || 1) * this.row + 7;
    }
    this.height = y + 4;
    this.canvas.style.height = this.height + "px";
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
  move(by) { this.show(this.begin + by, this.end + by); },
  show(begin, end) {
    const least = 50, whole = this.full[1] - this.full[0], span = Math.min(Math.max(end - begin, least), 1.02 * whole);
    begin = Math.min(Math.max(begin, this.full[0] - 0.01 * whole), this.full[1] + 0.01 * whole - span);
    this.begin = begin;
    this.end = begin + span;
    this.draw();
  },
  // A time with as many digits as tell two ticks apart.
  tick(t, step) {
    const [unit, ns] = step >= 1e8 ? ["s", 1e9] : step >= 1e5 ? ["ms", 1e6] : step >= 100 ? ["µs", 1e3] : ["ns", 1];
    return digits(t / ns, Math.max(0, Math.ceil(-Math.log10(step / ns)))) + " " + unit;
  },
  // The first span of a lane that may reach into the view; parents may begin long before.
  spans(lane) {
    const list = lane.spans;
    let low = 0, high = list.length;
    const from = this.begin - (lane.longest || 0);
    while (low < high) { const middle = (low + high) >> 1; if (list[middle][0] < from) low = middle + 1; else high = middle; }
    return low;
  },
  color(lane, span) {
    const op = D.ops[span[3] != null ? opAt.get(span[3] + " " + span[4]) : -1];
    if (op && span[4] >= 0) return css(colorOf(op.category).slice(4, -1));
    return css({host: "--c9", compile: "--c6", queue: "--c7", device: "--busy", copy: "--c1", loader: "--c2"}[lane.group] || "--c9");
  },

  draw() {
    const canvas = this.canvas, ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
    canvas.width = width * ratio;
    canvas.height = this.height * ratio;
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    g.font = "11px system-ui, DejaVu Sans, sans-serif";
    const soft = css("--soft"), ink = css("--ink"), line = css("--line"), ground = css("--panel");
    const span = this.end - this.begin, step = Math.pow(10, Math.floor(Math.log10(span / 4))), nice = span / step > 20 ? 5 * step : span / step > 8 ? 2 * step : step;
    g.fillStyle = soft;
    g.strokeStyle = line;
    for (let t = Math.ceil(this.begin / nice) * nice; t < this.end; t += nice) {
      const x = this.x(t);
      if (x < this.labels) continue;
      g.beginPath(); g.moveTo(x, 16); g.lineTo(x, this.height); g.stroke();
      g.fillText(this.tick(t, nice), x + 3, 12);
    }
    let drawn = 0;
    const colors = new Map();
    for (const lane of this.lanes) {
      let lastX = [], list = lane.spans;
      for (let i = this.spans(lane); i < list.length && list[i][0] < this.end; ++i) {
        const s = list[i];
        if (s[0] + s[1] < this.begin) continue;
        const depth = s[5] || 0, x0 = Math.max(this.x(s[0]), this.labels), x1 = Math.max(this.x(s[0] + s[1]), x0 + 0.7);
        if (x1 <= (lastX[depth] ?? -1) + 0.35) continue;
        lastX[depth] = x1;
        const key = lane.group + " " + s[3] + " " + s[4];
        if (!colors.has(key)) colors.set(key, this.color(lane, s));
        const found = this.find && this.names[s[2]].toLowerCase().includes(this.find);
        g.globalAlpha = this.find && !found ? 0.15 : lane.group === "queue" ? 0.55 : 1;
        g.fillStyle = colors.get(key);
        const y = lane.y + depth * this.row;
        g.fillRect(x0, y, x1 - x0 - (x1 - x0 > 3 ? 0.6 : 0), this.row - 2);
        ++drawn;
        if (x1 - x0 > 34) {
          g.fillStyle = lane.group === "host" ? ink : "#fff";
          g.save(); g.beginPath(); g.rect(x0, y, x1 - x0 - 3, this.row); g.clip();
          g.fillText(this.names[s[2]], x0 + 4, y + 11);
          g.restore();
        }
      }
      g.globalAlpha = 1;
      g.fillStyle = ground;
      g.fillRect(0, lane.y - 2, this.labels - 1, (lane.depth || 1) * this.row + 6);
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
  // From each launch on the host to its execution, while they can be told apart.
  arrows(g, color) {
    const visible = D.timeline.flows.filter((f) => f[2] >= this.begin && f[0] <= this.end);
    if (visible.length > 40) return;
    g.strokeStyle = color;
    g.globalAlpha = 0.35;
    for (const [from, fromLane, to, toLane] of visible) {
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
      if (y < lane.y || y >= lane.y + (lane.depth || 1) * this.row) continue;
      const depth = Math.floor((y - lane.y) / this.row), slack = (this.end - this.begin) / this.canvas.clientWidth;
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
    tip.textContent = `${this.names[best.s[2]]}  ${time(best.s[1])}` + (op ? `\n${[op.category, op.module, op.source].filter(Boolean).join(" · ")}` : "");
    tip.style.whiteSpace = "pre-line";
    tip.style.display = "block";
    tip.style.left = Math.min(event.offsetX + 14, this.canvas.clientWidth - tip.offsetWidth - 6) + "px";
    tip.style.top = Math.min(event.offsetY + 14, this.height - tip.offsetHeight - 4) + "px";
  },
};

// ---- a table whose columns sort: [key, title, how to show it, class]
function sortable(table, rows, columns, options = {}) {
  let key = options.key, down = options.down ?? true, limit = options.limit ?? Infinity;
  const head = el("tr");
  for (const [column, title, , className] of columns) {
    const th = el("th", {"data-key": column, className: className || "", tabIndex: 0}, title);
    const sort = () => { down = key === column ? !down : !className; key = column; draw(); };
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
  const view = sortable($("ops"), D.ops, [
    ["rank", "rank"],
    ["name", "name", (op) => [el("span", {className: "swatch", style: `background:${colorOf(op.category)};margin-right:8px`}), "%" + op.name], "text name"],
    ["category", "category", null, "text"],
    ["occurrences", "runs", (op) => digits(op.occurrences, 0)],
    ["self_ns", "self", (op) => time(op.self_ns)],
    ["total_ns", "total", (op) => time(op.total_ns)],
    ["avg_ns", "average", (op) => time(op.avg_ns)],
    ["share", "share", (op) => [el("i", {className: "share", style: `width:${Math.round(54 * op.share / top)}px`}), percent(op.share)]],
    ["cumulative_share", "sum", (op) => percent(op.cumulative_share)],
    ["flops_per_s", "flop/s", (op) => op.flops_per_s ? scaled(op.flops_per_s, "") : ""],
    ["bytes_per_s", "bytes/s", (op) => op.bytes_per_s ? scaled(op.bytes_per_s, "B") : ""],
    ["bound", "bound", null, "text"],
    ["over", "× roof", (op) => op.over ? digits(op.over, 1) : ""],
    ["source", "source", (op) => op.source.split("/").pop(), "text place"],
    ["module", "module", null, "text place"],
    ["program_name", "program", null, "text place"],
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

// ---- one operation: its figures, what is fused in it, and the graph around it
const program = (op) => D.programs[op.program];
const instructionsOf = (p) => p.computations.length ? p.computations.find((c) => c.entry).instructions : [];

function choose(index, scroll) {
  const op = D.ops[index];
  if (!op) return;
  const facts = [["category", op.category], ["runs", digits(op.occurrences, 0)], ["total", time(op.total_ns)], ["average", time(op.avg_ns)],
    ["fastest, slowest", time(op.min_ns) + ", " + time(op.max_ns)], ["share of busy time", percent(op.share)],
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
  // Elements of tuples are shown as the instruction that made the tuple.
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
      Object.assign(el("text", {x: 13, y: 34, class: "soft"}), {textContent: cut(i.shape.replace(/\{[^}]*\}/g, "") + (index >= 0 ? "  " + time(D.ops[index].avg_ns) : ""), 36)}),
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
  const width = 1300, height = 420, left = 84, bottom = 36, log = Math.log10;
  const x0 = Math.floor(log(Math.min(...points.map((p) => p.x), flops / cache))), x1 = Math.ceil(log(Math.max(...points.map((p) => p.x), flops / memory)) + 0.2);
  const y0 = Math.floor(log(Math.min(...points.map((p) => p.y)))), y1 = Math.ceil(log(flops) + 0.1);
  const X = (v) => left + (log(v) - x0) / (x1 - x0) * (width - left - 16), Y = (v) => 10 + (y1 - log(v)) / (y1 - y0) * (height - bottom - 10);
  const svg = el("svg", {viewBox: `0 0 ${width} ${height}`});
  const label = (x, y, text, anchor = "start") => svg.append(Object.assign(el("text", {x, y, "text-anchor": anchor}), {textContent: text}));
  for (let e = x0; e <= x1; ++e) {
    svg.append(el("line", {class: "grid", x1: X(10 ** e), x2: X(10 ** e), y1: 10, y2: height - bottom}));
    label(X(10 ** e), height - bottom + 15, String(10 ** e), "middle");
  }
  for (let e = y0; e <= y1; ++e) {
    svg.append(el("line", {class: "grid", x1: left, x2: width - 16, y1: Y(10 ** e), y2: Y(10 ** e)}));
    label(left - 8, Y(10 ** e) + 4, scaled(10 ** e, "flop/s"), "end");
  }
  label(width - 16, height - 4, "flop per byte", "end");
  const roof = (bandwidth, text, dash) => {
    if (!bandwidth) return;
    const knee = flops / bandwidth, from = Math.max(10 ** x0, 10 ** y0 / bandwidth);
    svg.append(el("path", {d: `M${X(from)},${Y(from * bandwidth)} L${X(knee)},${Y(flops)} L${X(10 ** x1)},${Y(flops)}`, style: `fill:none;stroke:var(--soft);stroke-width:1.5;${dash}`}));
    label(X(from) + 6, Y(from * bandwidth) - 8, `${text} ${scaled(bandwidth, "B/s")}`);
  };
  roof(memory, "memory", "");
  roof(cache, "caches", "stroke-dasharray:5 4");
  label(width - 22, Y(flops) - 7, "matrix products " + scaled(flops, "flop/s"), "end");
  const most = Math.max(...points.map((p) => p.op.self_ns));
  for (const p of points.sort((a, b) => b.op.self_ns - a.op.self_ns)) {
    const dot = el("circle", {cx: X(p.x), cy: Y(p.y), r: 2.5 + 15 * Math.sqrt(p.op.self_ns / most), style: `fill:${colorOf(p.op.category)};fill-opacity:.62;cursor:pointer`},
      Object.assign(el("title", {}), {textContent: `%${p.op.name}: ${scaled(p.y, "flop/s")}, ${digits(p.x, 2)} flop per byte, ${percent(p.op.share)}`}));
    dot.addEventListener("click", () => choose(p.index, true));
    svg.append(dot);
  }
  $("roofline-chart").append(svg);
}

// ---- memory
function area(points, length, title, mark) {
  const width = 1300, height = 190, left = 76, bottom = 20, top = Math.max(...points.map((p) => p[1]), 1);
  const X = (t) => left + t / Math.max(length, 1) * (width - left), Y = (v) => 10 + (1 - v / top) * (height - bottom - 10);
  let d = `M${X(points[0][0])},${Y(0)}`;
  points.forEach(([t, v], i) => { d += ` L${X(t)},${Y(v)}`; if (i + 1 < points.length) d += ` L${X(points[i + 1][0])},${Y(v)}`; });
  d += ` L${X(length)},${Y(points.at(-1)[1])} L${X(length)},${Y(0)} Z`;
  const svg = el("svg", {viewBox: `0 0 ${width} ${height}`});
  for (let i = 0; i <= 2; ++i) {
    svg.append(el("line", {class: "grid", x1: left, x2: width, y1: Y(top * i / 2), y2: Y(top * i / 2)}),
      Object.assign(el("text", {x: left - 8, y: Y(top * i / 2) + 4, "text-anchor": "end"}), {textContent: bytes(top * i / 2)}));
  }
  svg.append(el("path", {d, style: "fill:var(--c1);fill-opacity:.35;stroke:var(--c1);stroke-width:1.2"}));
  if (mark != null) svg.append(el("line", {x1: X(mark), x2: X(mark), y1: 6, y2: height - bottom, style: "stroke:var(--c6);stroke-dasharray:3 3"}));
  svg.append(Object.assign(el("text", {x: left, y: height - 4}), {textContent: title}));
  return el("div", {className: "chart"}, svg);
}

function memory() {
  const body = $("memory-body");
  if (D.memory.timeline.length > 1) body.append(el("h3", {}, "In use on the device, over the recording"), area(D.memory.timeline, D.memory.timeline.at(-1)[0], "time"));
  for (const p of D.memory.programs) {
    if (!p.live.length) continue;
    body.append(el("h3", {}, `${p.name}: by the memory plan, over the ${p.points.length} operations of one run; ${bytes(p.peak)} at the peak, in %${p.at}`),
      area(p.points.map((v, i) => [i, v]), p.points.length, "operations in their order", p.peak_at + 0.5));
    const table = el("table", {}, el("thead"), el("tbody"));
    body.append(el("h3", {}, "What is alive at the peak, by the line that made it"), el("div", {className: "table-box", style: "max-height:300px"}, table));
    sortable(table, p.live, [["bytes", "bytes", (r) => bytes(r.bytes)], ["count", "values"], ["kind", "kind", null, "text"], ["module", "module", null, "text place"],
      ["source", "source", null, "text place"]], {key: "bytes"});
  }
  if (!body.children.length) body.append(el("p", {className: "hint"}, "Nothing ran on the device."));
}

// ---- diagnostics, and the comparison
function hints() {
  if (!D.hints.length) { $("hints").append(el("p", {className: "hint"}, "Nothing: no recompile, no graph break, no gap worth a hint.")); return; }
  for (const h of D.hints) {
    $("hints").append(el("div", {className: "hint-card"},
      el("div", {className: "cost"}, h.ms_per_step >= 0.0005 ? digits(h.ms_per_step, 3) + " ms" : "—", el("small", {}, h.ms_per_step >= 0.0005 ? "a step" : "")),
      el("div", {className: "kind"}, h.kind.replaceAll("_", " ") + (h.count > 1 ? `, ${h.count} times` : "")),
      el("div", {}, h.reason), el("div", {className: "place"}, [h.subject, h.place].filter(Boolean).join(" · ")),
      el("div"), el("div", {className: "remedy"}, "→ " + h.remedy)));
  }
}

function compare() {
  if (!D.compare) return;
  $("compare").hidden = false;
  $("compare-about").textContent = D.compare.about;
  const delta = (r) => [el("span", {className: r.delta_ns < 0 ? "better" : "worse"}, (r.delta_ns > 0 ? "+" : "−") + time(Math.abs(r.delta_ns)))];
  sortable($("compare-table"), D.compare.rows.map((r) => ({...r, size: Math.abs(r.delta_ns)})), [["identity", "operation", null, "text name"], ["category", "category", null, "text"],
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
  if (section.id === "compare" && !D.compare) continue;
  $("nav").append(el("a", {href: "#" + section.id}, section.id));
}
overview();
operations();
roofline();
memory();
hints();
compare();
timeline.start();
if (D.ops.length) choose(D.ops.findIndex((op) => op.op >= 0), false);
document.body.dataset.ready = "true";
