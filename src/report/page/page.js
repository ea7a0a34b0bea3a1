// The page of a report: shows the data in the element `data`, which html_data.cpp writes and describes.
//
// Promises  Text reaches the page as text only (textContent, attributes that take no script): nothing in a name, a path or a source line can
//           become markup. The list is built at once, the details of a bug when they are asked for.
// Tested by test/browser
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const kRowsAtOnce = 150, kPrintedAtOnce = 100, kOptions = 2000, kMostLibraryFrames = 3;

// ---- text ----

// Characters that cannot be seen, or that turn the direction of what follows, are shown by their numbers.
const hidden = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const seen = (text) => String(text).replace(hidden, (c) => "\u27e8U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u27e9");
const shortened = (text, most) => { const all = seen(text); return all.length <= most ? all : all.slice(0, most - 1) + "\u2026"; };
const number = (n) => Number(n).toLocaleString("en-US");
const counted = (n, one, many) => number(n) + " " + (Number(n) === 1 ? one : many);
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const when = (seconds) => seconds ? new Date(seconds * 1000).toISOString().replace("T", " ").slice(0, 16) + " UTC" : "";

// make("p.dim", {id: "x"}, "text", child, ...): an element. Strings become text.
function make(what, ...parts) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, parts);
}
function draw(what, ...parts) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  return fill(element, parts);
}
function fill(element, parts) {
  for (const part of parts.flat(Infinity)) {
    if (part === null || part === undefined || part === false) continue;
    if (part instanceof Node) element.append(part);
    else if (typeof part === "object") {
      for (const [name, value] of Object.entries(part)) {
        if (typeof value === "function") element.addEventListener(name, value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
      }
    } else element.append(seen(part));
  }
  return element;
}

// ---- frames and stacks ----

// A frame is [function, file, line, column, module, offset, flags]; flags: 1 inlined, 2 ours, 4 of a library's header, 8 not instrumented.
const frameOf = (id) => { const [fn, file, line, column, module, offset, flags] = data.frames[id]; return {fn, file, line, column, module, offset, flags}; };
const stackOf = (id) => (id === null || id === undefined ? [] : data.stacks[id]).map(frameOf);
const inModule = (f) => f.module ? baseName(f.module) + "+0x" + f.offset : "";
const placeOf = (f) => f.file ? f.file + (f.line ? ":" + f.line : "") : inModule(f);
const shortPlace = (f) => f.file ? baseName(f.file) + (f.line ? ":" + f.line : "") : inModule(f);
// The innermost frame of the program: neither ours nor, if there is another, in a library's header.
function ownFrame(frames) {
  let header = -1;
  for (let i = 0; i < frames.length; ++i) {
    if (frames[i].flags & 2) continue;
    if (!(frames[i].flags & 4)) return i;
    if (header < 0) header = i;
  }
  return header;
}
// The same among frames with a file, if there are any: the line that a reader can open. model_html.cpp shows the source of this one.
function readableFrame(frames) {
  const at = frames.findIndex((frame) => frame.file && !(frame.flags & 6));
  return at < 0 ? ownFrame(frames) : at;
}
const frameAt = (frames, at) => at < 0 ? frames[0] : frames[at];
const topOf = (id) => { const frames = stackOf(id); return frameAt(frames, ownFrame(frames)); };
const lineOf = (id) => { const frames = stackOf(id); return frameAt(frames, readableFrame(frames)); };

function showFrame(frame, index, own) {
  const where = frame.file ? frame.file + (frame.line ? ":" + frame.line + (frame.column ? ":" + frame.column : "") : "") : "";
  const aside = frame.flags & 6;
  return make("li" + (index === own ? ".here" : aside ? ".aside" : ""),
    make("span.no", "#" + index), make("span.fn", frame.fn || (where ? "(no function name)" : "(no name)")),
    frame.flags & 1 ? make("span.small.dim", " inlined") : null,
    frame.flags & 8 ? make("span.badge.warn", {title: "What this module does is not seen"}, "not instrumented") : null,
    make("span.at", where, where && frame.module ? " \u00b7 " : "", make("span", {title: frame.module ? seen(frame.module) : null}, inModule(frame))));
}
// The frames down to the program's own and one caller; the rest is folded, and so are those of libraries between the innermost and the own one.
function showStack(id, folded = false) {
  const frames = stackOf(id);
  if (frames.length === 0) return make("p.dim.small", "No stack is known.");
  const own = readableFrame(frames);
  const items = frames.map((frame, i) => showFrame(frame, i, own));
  let open = folded ? 0 : Math.min(frames.length, Math.max(own + 2, 2));
  if (!folded && frames.length - open === 1) ++open;
  const box = make("div");
  const library = open > 0 && own > kMostLibraryFrames ? own - 1 : 0;
  if (library > 0) {
    box.append(make("ol.stack", items.slice(0, 1)), make("details.frames", make("summary", counted(library, "frame", "frames") + " of libraries"), make("ol.stack", items.slice(1, own))));
    box.append(make("ol.stack", items.slice(own, open)));
  } else if (open > 0) box.append(make("ol.stack", items.slice(0, open)));
  if (open < frames.length) {
    const rest = counted(frames.length - open, (folded ? "" : "more ") + "frame", (folded ? "" : "more ") + "frames");
    const top = frames[Math.max(own, 0)];
    box.append(make("details.frames", make("summary", folded ? shortened(top.fn || inModule(top) || "?", 60) + (placeOf(top) ? " at " + shortPlace(top) : "") + " (" + rest + ")" : rest),
      make("ol.stack", items.slice(open))));
  }
  return box;
}

// ---- source ----

const words = new Set(("alignas alignof and asm auto bool break case catch char class co_await co_return co_yield concept const consteval constexpr constinit " +
  "const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if inline int long mutable namespace new noexcept " +
  "not nullptr operator or override private protected public register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct " +
  "switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while _Atomic _Thread_local restrict " +
  "uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t size_t").split(" "));
const token = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(^\s*#\s*\w+)|(\b\d[\w.']*)|([A-Za-z_]\w*)/g;
function highlighted(text, column, into) {
  let at = 0;
  const put = (piece, kind, start) => {
    if (piece === "") return;
    let node = kind ? make("span." + kind, piece) : document.createTextNode(seen(piece));
    if (column && start <= column - 1 && column - 1 < start + piece.length && piece.trim() !== "") node = make("mark", node);
    into.append(node);
  };
  // What is between the words; the column begins a piece of its own, without the blanks before it.
  const between = (from, to) => {
    const cutAt = column && from < column - 1 && column - 1 < to ? column - 1 : from;
    put(text.slice(from, cutAt), "", from);
    put(text.slice(cutAt, to), "", cutAt);
  };
  for (const match of text.matchAll(token)) {
    between(at, match.index);
    put(match[0], match[1] ? "c" : match[2] ? "s" : match[3] ? "k" : match[4] ? "d" : words.has(match[5]) ? "k" : "", match.index);
    at = match.index + match[0].length;
  }
  between(at, text.length);
}
function showSource(id, frame) {
  if (id === null || id === undefined) return null;
  const {lines, newer} = data.excerpts[id];
  const pre = make("pre");
  for (const [no, text, here] of lines) {
    const row = make(here ? "span.row.here" : "span.row", make("span.n", String(no)));
    highlighted(text, here ? frame.column : 0, row);
    pre.append(row);
  }
  return make("div", make("div.source", {tabindex: "0", role: "group", "aria-label": seen("Source at " + placeOf(frame))}, pre),
    newer ? make("p.small.notice", "This file was changed after the run: these lines may not be the ones that ran.") : null);
}

// ---- threads, locks, accesses ----

const threadText = (t) => t.number === 0 && !t.name ? "main thread" : t.traced ? t.name : "T" + t.number + (t.name ? " '" + t.name + "'" : "");
const sideThread = (side) => threadText({number: side.thread, name: side.threadName, traced: side.traced});
const lockText = (example, address) => { const at = example.locks.findIndex((lock) => lock.address === address); return at < 0 ? (/^[0-9a-f]+$/.test(address) ? "0x" + address : address) : example.locks[at].name; };
const accessText = (side) => side.kind + (side.bytes && side.kind !== "free" ? " of " + counted(side.bytes, "byte", "bytes") : "");

// The earlier access is shown first. `sides[0]` is the one that completed the race.
const inTime = (example) => example.sides.length > 1 ? [example.sides[1], example.sides[0], ...example.sides.slice(2)] : example.sides;

function showSide(example, side, index, count) {
  const frames = stackOf(side.stack);
  const frame = frameAt(frames, readableFrame(frames));
  const which = count === 1 ? "The access" : index === 0 ? "First access" : index === 1 ? "Second access, which completed the race" : "A later access";
  return make("section.card" + (index === 0 ? ".one" : ".two"), {"aria-label": which},
    make("p.which", which),
    make("h3", capital(accessText(side)) + " by ", make("span.badge." + (index === 0 ? "one" : "two"), sideThread(side))),
    make("p.small.dim", side.address ? make("span", "at ", make("code", "0x" + side.address)) : null, side.event !== null ? (side.address ? ", " : "") + "event " + number(side.event) : null),
    frame ? make("p.small", frame.fn ? make("span", make("code", frame.fn), " at ") : null, make("code", placeOf(frame) || "a place that is not known")) : null,
    showSource(side.excerpt, frame),
    make("p.small", side.locks.length ? ["Holds ", side.locks.map((lock, i) => [i ? ", " : "", make("b", lockText(example, lock.address)), lock.reading ? " (for reading)" : ""])] : side.locksKnown ? "Holds no lock." : null),
    showStack(side.stack));
}

// ---- why: what is known of the order ----

const verbs = {acq: "locks", racq: "locks for reading", rel: "unlocks", rrel: "unlocks", fork: "creates", join: "joins", end: "ends", begin: "begins", ld: "atomic read of", st: "atomic write of",
  rmw: "atomic update of", cas: "atomic update of", take: "acquires", give: "releases", lock: "locks", unlock: "unlocks"};
function stepText(example, step) {
  const lock = step.address ? example.locks.find((known) => known.address === step.address) : undefined;
  const called = step.stack === null ? undefined : frameOf(data.stacks[step.stack][0]);
  const verb = (step.op === "take" || step.op === "give") && called && called.flags & 2 && called.fn ? called.fn : verbs[step.op] || step.op;
  const what = lock ? lock.name : step.object || (step.address ? "0x" + step.address : "");
  return step.access || !what || step.op === "end" ? verb : verb + " " + what;
}
const stepPlace = (step) => { const frame = step.stack === null ? null : lineOf(step.stack); return frame && placeOf(frame) ? shortPlace(frame) : step.event ? "event " + number(step.event) : ""; };

// What happened, in one sentence: the first thing to read.
function inShort(example) {
  const [first, second] = inTime(example);
  if (!first || !second) return null;
  const said = (side, verbs, what) => {
    const frame = lineOf(side.stack);
    return [make("b." + (side === first ? "first" : "second"), capital(sideThread(side))), " " + verbs[side.kind.split(" ").pop()] + " " + what, frame && frame.fn ? [" in ", make("code", shortened(frame.fn, 80))] : null,
      frame && placeOf(frame) ? [" at ", make("code", shortPlace(frame))] : null];
  };
  const both = {read: "reads", write: "writes", free: "frees"};
  const isFree = (side) => side.kind === "free";
  const what = isFree(first) ? "a block of memory" : first.bytes ? counted(first.bytes, "byte", "bytes") : "memory";
  const again = isFree(second) ? (isFree(first) ? "it again" : "the block that they are in") : isFree(first) ? (second.bytes ? counted(second.bytes, "byte", "bytes") : "memory") + " of it" :
    first.bytes === second.bytes && first.address === second.address ? "the same" : "what it touched";
  return make("p.short", said(first, both, what), ". ", said(second, both, again), ". Nothing orders the two.");
}

// A sentence with its places as code: names of files without folders, which a hint shows.
function withPlaces(line) {
  return line.split(/(\/[^\s:]+:\d+)/).map((part, i) => i % 2 ? make("code", {title: seen(part)}, baseName(part)) : part);
}
function explanation(group, example) {
  const items = example.why.map((line) => make("li", withPlaces(capital(line))));
  if (example.sleep !== null) items.push(make("li", "Only a sleep kept the two apart (", make("code", shortPlace(lineOf(example.sleep))), "): a sleep orders nothing."));
  if (group.foreign) items.push(make("li", "A stack runs through ", make("code", group.foreign), ", which is not instrumented: synchronisation inside it was not seen. This may be a false report."));
  return items.length ? make("ul.why", items) : null;
}

// ---- the picture ----

// The steps around the accesses, in the order of the run: what the record has, or what can be said of any race.
function pictureSteps(example) {
  if (example.timeline.length) return example.timeline;
  const begins = [], accesses = [];
  [1, 0].forEach((side) => {
    const access = example.sides[side], column = side === 1 ? 0 : 1;
    const thread = example.threads.find((t) => t.number === access.thread);
    if (thread && thread.known && access.thread !== 0 && !access.traced) {
      const parent = example.threads.find((t) => t.number === thread.parent);
      begins.push({op: "created by " + (thread.parent === 0 ? "main thread" : parent ? threadText(parent) : "T" + thread.parent), object: "", stack: thread.stack, event: 0, column, access: false, orders: -1});
    }
    accesses.push({op: access.kind, object: "", stack: access.stack, event: access.event || 0, column, access: true, orders: -1});
  });
  return [...begins, ...accesses];
}

function picture(example, width) {
  const steps = pictureSteps(example);
  const threads = [example.sides[1], example.sides[0]];
  const narrow = width < 620;
  const gap = narrow ? 52 : 46, top = 62;
  const x = narrow ? [18, width - 18] : [width * 0.36, width * 0.64];
  const label = narrow ? [34, width - 34] : [x[0] - 20, x[1] + 20];
  const anchor = narrow ? ["start", "end"] : ["end", "start"];
  const y = steps.map((_, i) => top + gap * i);
  const height = top + gap * steps.length + (narrow ? 14 : 6);
  const most = Math.floor((narrow ? width - 80 : width * 0.36 - 30) / 7.2);
  const svg = draw("svg", {viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": seen("The two threads, time goes down: " +
    steps.map((s) => sideThread(threads[s.column]) + ": " + stepText(example, s) + (s.access ? " (racing access)" : "")).join("; ") + ". Nothing orders the two accesses.")});
  const defs = draw("defs", draw("marker", {id: "tip", viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "8", markerHeight: "8", orient: "auto-start-reverse"}, draw("path.arrow", {d: "M0 0 8 4 0 8z"})));
  svg.append(defs);
  ["one", "two"].forEach((style, column) => {
    const name = shortened(sideThread(threads[column]), narrow ? 18 : 30);
    const w = Math.max(70, name.length * 8 + 22), left = narrow ? (column ? width - w - 2 : 2) : x[column] - w / 2;
    svg.append(draw("line.life." + style, {x1: x[column], x2: x[column], y1: 34, y2: height - 4}),
      draw("rect.head." + style, {x: left, y: 6, width: w, height: 28, rx: 8}),
      draw("text.headtext." + style, {x: left + w / 2, y: 25, "text-anchor": "middle"}, name));
  });
  // Locks that an access holds, as a band along its thread from where they were taken to where they were released.
  const access = [steps.findLastIndex((s) => s.access && s.column === 0), steps.findLastIndex((s) => s.access && s.column === 1)];
  access.forEach((at, column) => {
    for (const lock of at < 0 ? [] : threads[column].locks) {
      const is = (step, ops) => step.column === column && step.address === lock.address && ops.includes(step.op);
      const taken = steps.findLastIndex((step, i) => i < at && is(step, ["acq", "racq", "lock"]));
      const released = steps.findIndex((step, i) => i > at && is(step, ["rel", "rrel", "unlock"]));
      const from = taken < 0 ? y[at] - 17 : y[taken], to = released < 0 ? y[at] + 17 : y[released];
      svg.append(draw("rect.held", {x: x[column] - 7, y: from, width: 14, height: to - from, rx: 7}));
    }
  });
  steps.forEach((step, i) => {
    if (step.orders < 0 || step.orders >= steps.length) return;
    const to = steps[step.orders], inset = step.column === to.column ? 0 : step.column === 0 ? 9 : -9;
    svg.append(draw("path.edge", {d: "M" + (x[step.column] + inset) + " " + y[i] + "L" + (x[to.column] - inset) + " " + y[step.orders], "marker-end": "url(#tip)"}));
  });
  if (access[0] >= 0 && access[1] >= 0) {
    const [a, b] = access.map((at) => y[at]), mx = (x[0] + x[1]) / 2, my = (a + b) / 2;
    svg.append(draw("path.missing", {d: "M" + (x[0] + 11) + " " + a + "L" + (x[1] - 11) + " " + b}));
    const w = narrow ? 76 : 118, h = narrow ? 20 : 38;
    svg.append(draw("rect.behind", {x: mx - w / 2, y: my - h / 2, width: w, height: h, rx: 6}),
      draw("text.missingtext", {x: mx, y: narrow ? my + 5 : my - 3, "text-anchor": "middle"}, narrow ? "no order" : "nothing orders"),
      narrow ? draw("g") : draw("text.missingtext", {x: mx, y: my + 14, "text-anchor": "middle"}, "these two"));
  }
  steps.forEach((step, i) => {
    const style = step.column ? "two" : "one", text = stepText(example, step), place = stepPlace(step);
    const holding = step.access && threads[step.column].locks.length ? " \u00b7 holds " + threads[step.column].locks.map((l) => lockText(example, l.address)).join(", ") : "";
    svg.append(step.access ? draw("path.access", {d: "M" + x[step.column] + " " + (y[i] - 10) + "l10 10-10 10-10-10z"}) : draw("circle.dot." + style, {cx: x[step.column], cy: y[i], r: 6}));
    const words = draw("text.halo" + (step.access ? ".strong" : ""), {x: label[step.column], y: place ? y[i] - 2 : y[i] + 5, "text-anchor": anchor[step.column]}, draw("title", text + holding), shortened(text + holding, most));
    svg.append(words);
    if (place) svg.append(draw("text.place.halo", {x: label[step.column], y: y[i] + 13, "text-anchor": anchor[step.column]}, shortened(place, most)));
  });
  return svg;
}

// ---- a bug in full ----

const kindStyle = (group) => group.severity === 2 ? "bad" : group.severity === 1 ? "warn" : "calm";
const stateOf = (group) => group.state || (data.hasBaseline ? (group.known ? "known" : "new") : "");
const stateBadge = (group) => { const state = stateOf(group); return state ? make("span.badge." + (state === "new" ? "bad" : state === "flaky" ? "warn" : state === "gone" ? "good" : "calm"), state) : null; };

function copyButton(text) {
  const button = make("button.copy", {type: "button"}, "Copy");
  button.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; }
    catch { button.textContent = "Select the lines above"; }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}

function showMemory(example) {
  const memory = example.memory;
  if (!memory.text) return null;
  return make("section.card", make("h3", "The memory"), make("p", memory.text),
    memory.declared !== null ? make("p.small.dim", "declared at ", make("code", placeOf(frameOf(memory.declared)))) : null,
    memory.stack !== null ? [make("p.small.dim", memory.stackIs), showStack(memory.stack, true)] : null);
}
function showThreads(example) {
  return example.threads.filter((thread) => thread.number !== 0 || thread.traced).map((thread) => make("section.card", make("h3", capital(threadText(thread))),
    make("p.small.dim", [thread.os ? "system id " + thread.os : "", thread.number === 0 || thread.traced ? "" : thread.running ? "running" : "finished",
      thread.known ? "created by " + (thread.parent === 0 ? "the main thread" : "T" + thread.parent) : thread.number === 0 || thread.traced ? "" : "its creation is not known"].filter(Boolean).join(", ")),
    thread.stack !== null ? showStack(thread.stack, true) : null));
}
function showLocks(example) {
  return example.locks.map((lock) => make("section.card", make("h3", "Lock ", lock.name), make("p.small.dim", make("code", /^[0-9a-f]+$/.test(lock.address) ? "0x" + lock.address : lock.address), lock.destroyed ? ", destroyed since" : lock.stack !== null ? ", created at:" : ""),
    lock.stack !== null ? showStack(lock.stack, true) : null));
}
function showRuns(group) {
  const rows = group.runs.slice(0, 50).map(([at, records]) => {
    const run = data.runs[at];
    return make("tr", make("td", run.program ? baseName(run.program) : "?", run.process ? make("span.dim", " pid " + run.process) : null), make("td", run.arguments.map((a) => shortened(a, 60)).join(" ")),
      make("td", run.label), make("td", when(run.started)), make("td", run.host), make("td", number(records)), make("td", run.ended ? "in order" : "not in order"));
  });
  return make("details.fold", make("summary", "Runs with it (" + number(group.runs.length) + ")"), make("div.scroll", {tabindex: "0", role: "region", "aria-label": "Runs"},
    make("table.runlist", make("thead", make("tr", ["Program", "Arguments", "Label", "Started", "Machine", "Records", "End"].map((head) => make("th", {scope: "col"}, head)))), make("tbody", rows))),
    group.runs.length > 50 ? make("p.dim.small", "and " + number(group.runs.length - 50) + " more") : null);
}

function showGroup(group, exampleIndex, heading) {
  const example = group.examples[exampleIndex];
  const parts = [];
  parts.push(make("p.bar", make("span.badge." + kindStyle(group), group.kindText), stateBadge(group), group.foreign ? make("span.badge.warn", "through a module without instrumentation") : null));
  parts.push(make(heading + ".title", {tabindex: "-1"}, shortened(group.title, 400)));
  parts.push(make("ul.facts.small",
    make("li", make("b", number(group.races)), Number(group.races) === 1 ? " time" : " times"),
    Number(group.objects) > 1 ? make("li", "at ", make("b", number(group.objects)), " addresses") : null,
    Number(group.variants) > 1 ? make("li", make("b", number(group.variants)), " different pairs of stacks") : null,
    group.runs.length ? make("li", "in ", make("b", number(group.runs.length)), group.runs.length === 1 ? " run" : " runs") : null,
    make("li.dim", "rank ", make("b", String(group.rank))), make("li.dim", "fingerprint ", make("code", group.fingerprint))));
  if (group.history) parts.push(make("p.small.dim", "First seen " + when(group.history.first) + (group.history.firstLabel ? " (" + group.history.firstLabel + ")" : "") + ", last " + when(group.history.last) +
    (group.history.lastLabel ? " (" + group.history.lastLabel + ")" : "") + ", in " + number(group.history.seen) + " of " + counted(group.history.since, "run", "runs") + " since."));
  if (group.examples.length > 1 && heading === "h1")
    parts.push(make("div.tabs", {role: "group", "aria-label": "Examples"}, group.examples.map((one, i) => make("button", {type: "button", "aria-pressed": String(i === exampleIndex), click: () => openGroup(group, i)},
      "Example " + (i + 1) + " (" + number(one.records) + ")"))));
  const sides = inTime(example);
  const short = inShort(example);
  if (short) parts.splice(2, 0, short);
  const why = explanation(group, example);
  if (why) parts.push(make("h2", "Why nothing orders them"), why);
  if (sides.length > 1) {
    const box = make("div.picture");
    parts.push(make("h2", "The two threads"), box);
    pictures.set(box, example);
  }
  if (sides.length) parts.push(make("h2", sides.length > 1 ? "The accesses" : "The access"), make("div.pair", sides.map((side, i) => showSide(example, side, i, sides.length))));
  if (example.cycle) parts.push(make("h2", "The cycle"), make("p", example.cycle));
  if (example.stacks.length) parts.push(make("h2", "What happened"), make("div.pair", example.stacks.map((one, i) => {
    return make("section.card." + (i % 2 ? "two" : "one"), make("h3", one.head || "Here"), showSource(one.excerpt, lineOf(one.stack)), showStack(one.stack));
  })));
  if (example.repeated > 1) parts.push(make("p", "And " + counted(example.repeated - 1, "more thread", "more threads") + " of the same place."));
  const cards = [showMemory(example), ...showLocks(example), ...showThreads(example)].filter(Boolean);
  if (cards.length) parts.push(make("h2", "Memory, locks and threads"), make("div.cards", cards));
  if (group.places.length > 1) parts.push(make("details.fold", make("summary", "Pairs of places (" + group.places.length + ")"), make("ul.why", group.places.map(([place, count]) => make("li", make("code", place), " ", make("span.dim", counted(count, "time", "times")))))));
  if (group.reasons.length) parts.push(make("details.fold", make("summary", "Why rank " + group.rank), make("ul.why", group.reasons.map(([points, reason]) => make("li", make("b", (points > 0 ? "+" : points < 0 ? "\u2212" : "") + Math.abs(points)), " ", reason)))));
  if (group.runs.length) parts.push(showRuns(group));
  if (group.suppressions.length) parts.push(make("details.fold", make("summary", "Lines that would suppress it"), make("p.small.dim", "The narrowest first; one of them is enough."),
    make("pre.lines", group.suppressions.map((line, i) => (i ? "\n" : "") + line).map((line) => document.createTextNode(line.split("\n").map(seen).join("\n")))), copyButton(group.suppressions.join("\n") + "\n")));
  return parts;
}

const pictures = new Map();  // the box of a picture -> its example
function drawPictures() {
  for (const [box, example] of pictures) {
    if (!box.isConnected) { pictures.delete(box); continue; }
    const width = Math.round(Math.min(900, Math.max(300, (box.clientWidth || 720) - 20)));
    if (box.dataset.width === String(width)) continue;
    box.dataset.width = width;
    box.replaceChildren(picture(example, width));
  }
}
window.addEventListener("resize", drawPictures);

// ---- the list ----

const sidesOf = (group) => group.examples.flatMap((example) => inTime(example));
const groupFrames = (group) => group.examples.flatMap((example) => [...inTime(example).map((side) => topOf(side.stack)), ...example.stacks.map((one) => lineOf(one.stack))]).filter(Boolean);
for (const group of data.groups) {
  const frames = groupFrames(group);
  group.files = [...new Set(frames.map((f) => f.file || f.module).filter(Boolean))];
  group.functions = [...new Set(frames.map((f) => f.fn).filter(Boolean))];
  group.threadNames = [...new Set([...sidesOf(group).map(sideThread), ...group.examples.flatMap((e) => e.sides.length ? [] : e.threads.map(threadText))])];
  group.pairPlaces = [...new Set(inTime(group.examples[0]).slice(0, 2).map((side) => topOf(side.stack)).concat(group.examples[0].stacks.map((one) => lineOf(one.stack))).filter(Boolean).map(shortPlace).filter(Boolean))].slice(0, 3);
  group.wheres = [...new Set(frames.map(shortPlace).filter(Boolean))];
  group.words = [group.title, group.kindText, group.pair, group.fingerprint, group.foreign, stateOf(group), ...group.files, ...group.functions, ...group.threadNames, ...group.wheres, ...group.runs.slice(0, 20).map(([at]) => data.runs[at].label)].join("\n").toLowerCase();
}

const hasState = data.hasBaseline || data.hasDatabase;
const compareText = (a, b) => a < b ? -1 : a > b ? 1 : 0;
// name, how it sorts (-1: largest first), its cell
const columns = [
  {id: "rank", name: "Rank", first: -1, key: (g) => g.rank, number: true, cell: (g) => make("td.rank.number", {"data-label": "rank"}, String(g.rank))},
  {id: "kind", name: "Kind", first: 1, key: (g) => g.kindText, cell: (g) => make("td.kind", make("span.badge." + kindStyle(g), g.kindText), hasState ? [" ", stateBadge(g)] : null)},
  {id: "bug", name: "Bug", first: 1, key: (g) => g.title, cell: (g) => make("td.bug", make("a.clamp", {href: "#" + g.fingerprint}, shortened(g.title, 300)))},
  {id: "file", name: "File", first: 1, key: (g) => g.files[0] || "", cell: (g) => make("td.file", make("span.clamp.mono", g.pairPlaces.map((w) => shortened(w, 80)).join(" \u2194 ") || "not known"), g.places.length > 1 ? make("span.small.dim", " and " + counted(g.places.length - 1, "other pair", "other pairs")) : null)},
  {id: "function", name: "Function", first: 1, key: (g) => g.functions[0] || "", cell: (g) => make("td.function", make("span.clamp.mono", g.functions.slice(0, 2).map((f) => shortened(f, 80)).join(", ")))},
  {id: "thread", name: "Threads", first: 1, key: (g) => g.threadNames.join(), cell: (g) => make("td.thread", {"data-label": "threads"}, make("span.small", shortened(g.threadNames.slice(0, 3).join(", ") + (g.threadNames.length > 3 ? " \u2026" : ""), 60)))},
  {id: "races", name: "Times", first: -1, key: (g) => Number(g.races), number: true, cell: (g) => make("td.races.number", {"data-label": "times"}, number(g.races))},
  {id: "runs", name: "Runs", first: -1, key: (g) => g.runs.length, number: true, cell: (g) => make("td.runs.number", {"data-label": "runs"}, number(g.runs.length))},
];
let order = {column: columns[0], direction: -1};
let visible = [], shown = kRowsAtOnce;

function rowOf(group) {
  if (!group.row) {
    group.row = make("tr", columns.map((column) => column.cell(group)));
    group.row.addEventListener("click", (event) => { if (!event.target.closest("a") && String(getSelection()) === "") location.hash = group.fingerprint; });
  }
  return group.row;
}
function showList() {
  const terms = $("query").value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = $("kind").value, state = $("state").value;
  const file = $("file").value.toLowerCase(), fn = $("function").value.toLowerCase(), thread = $("thread").value.toLowerCase();
  const has = (list, part) => part === "" || list.some((text) => text.toLowerCase().includes(part));
  visible = data.groups.filter((g) => terms.every((term) => g.words.includes(term)) && (kind === "" || g.kindText === kind) && (state === "" || stateOf(g) === state) &&
    has(g.files, file) && has(g.functions, fn) && has(g.threadNames, thread));
  const {column, direction} = order;
  visible.sort((a, b) => {
    const p = column.key(a), q = column.key(b);
    return direction * (column.number ? p - q : compareText(p, q)) || a.index - b.index;
  });
  $("rows").replaceChildren();
  showRows();
  $("empty").hidden = visible.length > 0 || data.groups.length === 0;
  $("bugs").hidden = visible.length === 0;
  $("count").textContent = visible.length === data.groups.length ? counted(data.groups.length, "bug", "bugs") : number(visible.length) + " of " + counted(data.groups.length, "bug", "bugs");
  for (const head of $("heads").children) {
    const mine = head.dataset.column === column.id;
    if (mine) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending"); else head.removeAttribute("aria-sort");
    head.querySelector(".mark").textContent = mine ? (direction > 0 ? " \u25b4" : " \u25be") : "";
  }
  $("sort").value = column.id;
}
// Rows come as the reader goes down: what is not seen costs nothing.
function showRows() {
  const there = $("rows").childElementCount;
  if (there < shown) $("rows").append(...visible.slice(there, shown).map(rowOf));
  $("more").hidden = visible.length <= shown;
  nearEnd.disconnect();  // it tells of a change only; now it tells anew where the end is
  nearEnd.observe($("more"));
}
const nearEnd = new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting) && !$("more").hidden) showMore(); }, {rootMargin: "1500px"});
function showMore(most = shown + kRowsAtOnce) {
  shown = most;
  showRows();
}
function sortBy(column) {
  order = {column, direction: order.column === column ? -order.direction : column.first};
  showList();
}

function options(list, values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) || 0) + 1);
  $(list).append(...[...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0])).slice(0, kOptions).map(([value]) => make("option", {value})));
}

// ---- which view is shown ----

let opened = null, returnTo = null;
function openGroup(group, example = 0) {
  opened = group;
  const at = visible.indexOf(group);
  const step = (by, words) => make("button", {type: "button", disabled: !visible[at + by] || at < 0, click: () => go(by)}, words);
  $("overview").hidden = true;
  $("detail").hidden = false;
  $("detail").replaceChildren(make("div.bar", make("a", {href: "#"}, "\u2190 All bugs"), make("span.space"), at >= 0 ? make("span.dim.small", number(at + 1) + " of " + number(visible.length)) : null, step(-1, "Previous"), step(1, "Next")), ...showGroup(group, example, "h1"));
  drawPictures();
  document.title = shortened(group.title, 100) + " \u2013 Deadheat";
  if (example === 0) { scrollTo(0, 0); $("detail").querySelector(".title").focus({preventScroll: true}); }
  else $("detail").querySelectorAll(".tabs button")[example].focus({preventScroll: true});
}
function closeGroup() {
  returnTo = opened;
  if (visible.indexOf(returnTo) >= shown) showMore(visible.indexOf(returnTo) + kRowsAtOnce);
  opened = null;
  $("detail").hidden = true;
  $("detail").replaceChildren();
  $("overview").hidden = false;
  document.title = headline + " \u2013 Deadheat";
  const link = returnTo && returnTo.row && returnTo.row.isConnected && returnTo.row.querySelector("a");
  if (link) { link.focus({preventScroll: true}); returnTo.row.scrollIntoView({block: "center"}); }
}
function go(by) {
  const at = visible.indexOf(opened);
  if (at >= 0 && visible[at + by]) location.hash = visible[at + by].fingerprint;
}
function route() {
  const name = decodeURIComponent(location.hash.slice(1));
  const group = name && data.groups.find((g) => g.fingerprint === name || g.fingerprints.includes(name));
  if (group) { if (group !== opened) openGroup(group); } else if (opened) closeGroup();
}
addEventListener("hashchange", route);

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const typing = event.target.closest("input, select, textarea");
  if (typing) { if (event.key === "Escape") typing.blur(); return; }
  const links = () => [...$("rows").querySelectorAll(".bug a")];
  const move = (by) => {
    if (opened) return go(by);
    let all = links(), at = all.indexOf(document.activeElement);
    if (at === all.length - 1 && by > 0) { showMore(); all = links(); }
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by];
    if (next) { next.focus(); next.scrollIntoView({block: "nearest"}); }
  };
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if ((event.key === "u" || event.key === "Escape") && opened) location.hash = "";
  else if (event.key === "/") { if (opened) location.hash = ""; setTimeout(() => $("query").focus()); }
  else if (event.key === "e" && opened) {
    const all = [...$("detail").querySelectorAll("details")], open = all.some((one) => !one.open);
    all.forEach((one) => { one.open = open; });
  } else if (event.key === "?") $("keys").showModal();
  else return;
  event.preventDefault();
});

// Paper gets the list and the bugs that are in it, or the bug that is open; with the whole stacks of the accesses.
let foldedBefore = [];
addEventListener("beforeprint", () => {
  if (!opened) {
    showMore(Math.max(shown, 5000));
    $("printed").replaceChildren(...visible.slice(0, kPrintedAtOnce).map((group) => make("article", showGroup(group, 0, "h2"))));
    if (visible.length > kPrintedAtOnce) $("printed").append(make("p", "The first " + kPrintedAtOnce + " of " + counted(visible.length, "bug", "bugs") + ". Filter the list to print others."));
  }
  foldedBefore = [...document.querySelectorAll(".pair details:not([open])")];
  foldedBefore.forEach((one) => { one.open = true; });
  drawPictures();
});
addEventListener("afterprint", () => {
  foldedBefore.forEach((one) => { one.open = false; });
  foldedBefore = [];
  $("printed").replaceChildren();
});

// ---- start ----

const programs = [...new Set(data.runs.map((run) => run.program ? baseName(run.program) : "").filter(Boolean))];
const headline = (data.groups.length === 0 ? "No bugs" : counted(data.groups.length, data.hasBaseline ? "new bug" : "bug", data.hasBaseline ? "new bugs" : "bugs")) +
  (data.runs.length ? " in " + counted(data.runs.length, "run", "runs") : "") + (programs.length === 1 ? " of " + shortened(programs[0], 60) : "");
$("headline").textContent = headline;
document.title = headline + " \u2013 Deadheat";
const started = data.runs.map((run) => run.started).filter(Boolean);
$("subline").textContent = [counted(data.records, "record", "records"), data.suppressed ? number(data.suppressed) + " suppressed" : "", data.hiddenKnown ? counted(data.hiddenKnown, "known bug", "known bugs") + " of the baseline left out" : "",
  started.length ? when(Math.min(...started)) + (Math.max(...started) - Math.min(...started) > 60 ? " to " + when(Math.max(...started)) : "") : ""].filter(Boolean).join(" \u00b7 ");
$("origin").textContent = seen("Made by Deadheat " + data.version + (data.command ? ": " + shortened(data.command, 300) : ""));
if (data.notes.length) $("notices").append(make("div.notice", make("ul", data.notes.slice(0, 50).map((note) => make("li", shortened(note, 500))))));
if (data.unused.length) $("rest").append(make("details.fold", make("summary", "Suppressions that hid nothing (" + data.unused.length + ")"), make("pre.lines", data.unused.map((line) => document.createTextNode(seen(line) + "\n")))));
if (data.gone.length) $("rest").append(make("details.fold", make("summary", "Gone: not in the last runs (" + data.gone.length + ")"), make("ul.why", data.gone.map((g) => make("li", shortened(g.title, 300), " ", make("span.dim.small", (g.last ? "last seen " + when(g.last) + " " : "") + g.fingerprint))))));
data.groups.forEach((group, index) => { group.index = index; });
$("heads").append(...columns.map((column) => {
  const head = make("th." + column.id + (column.number ? ".number" : ""), {scope: "col", "data-column": column.id}, make("button", {type: "button", click: () => sortBy(column)}, column.name, make("span.mark", {"aria-hidden": "true"})));
  return head;
}));
$("kind").append(make("option", {value: ""}, "all"), ...[...new Set(data.groups.map((g) => g.kindText))].sort().map((kind) => make("option", {value: kind}, kind)));
$("state-label").hidden = !hasState;
$("state").append(make("option", {value: ""}, "all"), ...[...new Set(data.groups.map(stateOf))].filter(Boolean).sort().map((state) => make("option", {value: state}, state)));
$("sort").append(...columns.map((column) => make("option", {value: column.id}, column.name.toLowerCase())));
$("filters").hidden = data.groups.length === 0;
if (data.groups.length === 0) { $("bugs").hidden = true; $("count").hidden = true; }
options("files", data.groups.flatMap((g) => g.files));
options("functions", data.groups.flatMap((g) => g.functions));
options("threads", data.groups.flatMap((g) => g.threadNames));

const refilter = () => { shown = kRowsAtOnce; showList(); };
for (const id of ["query", "kind", "file", "function", "thread", "state"]) $(id).addEventListener("input", refilter);
$("sort").addEventListener("change", () => { const column = columns.find((c) => c.id === $("sort").value); order = {column, direction: column.first}; showList(); });
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("filters").addEventListener("reset", () => setTimeout(() => { order = {column: columns[0], direction: -1}; refilter(); }));
$("clear").addEventListener("click", () => { $("filters").reset(); $("query").focus(); });
$("more").addEventListener("click", () => showMore());
$("help").addEventListener("click", () => $("keys").showModal());
$("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.dataset.theme = dark ? "light" : "dark";
});
showList();
route();
document.documentElement.dataset.ready = "yes";
})();
