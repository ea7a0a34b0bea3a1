// What a reader does with an HTML report, in a browser. Run by test/browser/run, which makes the pages.
import assert from "node:assert/strict";
import {readFileSync, mkdtempSync, readdirSync, statSync} from "node:fs";
import {createRequire} from "node:module";
import puppeteer from "puppeteer-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const {CHROMIUM, PAGES, PICTURES} = process.env;
const browser = await puppeteer.launch({
  executablePath: CHROMIUM, headless: true, userDataDir: mkdtempSync(PAGES + "/../profile-"),
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]});

let complaints = [], requests = [];
// A fresh page; what it complains of and asks the network for is collected.
async function open(name, {width = 1280, height = 900, dark = false, hash = ""} = {}) {
  complaints = [];
  requests = [];
  const page = await browser.newPage();
  page.on("console", (message) => complaints.push(message.type() + ": " + message.text()));
  page.on("pageerror", (error) => complaints.push("error: " + error.message));
  page.on("request", (request) => { if (!request.url().startsWith("file:") && !request.url().startsWith("data:")) requests.push(request.url()); });
  page.on("dialog", (dialog) => { complaints.push("dialog"); dialog.dismiss(); });
  await page.setViewport({width, height});
  await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]);
  await page.goto("file://" + PAGES + "/" + name + ".html" + hash, {waitUntil: "load"});
  assert.equal(await page.evaluate(() => document.documentElement.dataset.ready), "yes", name + " is shown");
  return page;
}
async function close(page) {
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, []);
  await page.close();
}
const titles = (page) => page.$$eval("#rows .bug a", (links) => links.map((link) => link.textContent));
const column = (page, name) => page.$$eval("#rows td." + name, (cells) => cells.map((cell) => cell.textContent));
const shown = (page, id) => page.$eval("#" + id, (element) => element.offsetParent !== null);
const settle = (page) => page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(done))));
async function type(page, id, text) {
  await page.$eval("#" + id, (input) => { input.value = ""; });
  await page.type("#" + id, text);
  await settle(page);
}
async function accessible(page, what) {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}));
  assert.deepEqual(violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 100) + " " + n.failureSummary.split("\n")[1]).slice(0, 3).join(" | ")), [], what);
}
async function picture(page, name) {
  if (PICTURES) await page.screenshot({path: PICTURES + "/" + name + ".png", fullPage: true});
}

const tests = {
  async sorting() {
    const page = await open("varied");
    assert.equal(await page.$eval("h1", (h) => h.textContent), "7 bugs in 2 runs of shop");
    assert.deepEqual(await column(page, "rank"), ["90", "80", "40", "40", "30", "10", "5"]);
    await page.click("th.rank button");
    assert.deepEqual(await column(page, "rank"), ["5", "10", "30", "40", "40", "80", "90"]);
    assert.equal(await page.$eval("th.rank", (head) => head.getAttribute("aria-sort")), "ascending");
    for (const name of ["kind", "bug", "file", "function", "thread"]) {
      await page.click("th." + name + " button");
      assert.equal(await page.$eval("th." + name, (head) => head.getAttribute("aria-sort")), "ascending", name);
      assert.equal(await page.$eval("th.rank", (head) => head.getAttribute("aria-sort")), null);
      const values = await column(page, name);
      if (name === "kind" || name === "bug") assert.deepEqual(values, [...values].sort(), name);
    }
    await page.click("th.races button");
    assert.equal((await titles(page))[0], "write-write race on a heap block that Cache::Cache allocated");
    await page.select("#sort", "bug");
    assert.deepEqual(await titles(page), [...await titles(page)].sort());
    await close(page);
  },

  async filtering() {
    const page = await open("varied");
    await type(page, "query", "FLUSH write-write");
    assert.deepEqual(await column(page, "rank"), ["90"]);
    assert.equal(await page.$eval("#count", (p) => p.textContent), "1 of 7 bugs");
    await type(page, "query", "no such thing");
    assert.equal(await shown(page, "empty"), true);
    await page.click("#clear");
    await settle(page);
    assert.equal((await titles(page)).length, 7);
    await page.select("#kind", "write-read race");
    assert.deepEqual(await column(page, "rank"), ["40", "40", "5"]);
    await type(page, "thread", "alice");
    assert.deepEqual(await titles(page), ["write-read race on log_entries"]);
    await page.click("#filters button[type=reset]");
    await settle(page);
    await type(page, "file", "session.cpp");
    assert.deepEqual(await column(page, "rank"), ["80"]);
    await page.$eval("#file", (input) => { input.value = ""; });
    await type(page, "function", "stats::");
    assert.deepEqual(await titles(page), ["write-read race on 'log_entries'"]);
    assert.ok((await page.$$("#functions option")).length > 5);
    await close(page);
  },

  async details() {
    const page = await open("varied");
    await page.click("#rows tr:first-child td.races");  // anywhere in the row
    await settle(page);
    assert.equal(await shown(page, "overview"), false);
    assert.match(page.url(), /#[0-9a-f]{16}$/);
    const text = await page.$eval("#detail", (detail) => detail.innerText);
    for (const words of ["First access", "Second access, which completed the race", "Cache::flush()", "Holds M0", "Holds no lock.", "Heap block of 64 bytes", "bytes 16 to 23", "created by the main thread",
      "4,212 of 4,213 other accesses hold M0", "Nothing orders the two."]) assert.ok(text.includes(words), words);
    // Both accesses side by side, the earlier one on the left, each with its source line marked.
    const boxes = await page.$$eval(".pair .card", (cards) => cards.map((card) => card.getBoundingClientRect().toJSON()));
    assert.ok(boxes[0].right <= boxes[1].left && Math.abs(boxes[0].top - boxes[1].top) < 1);
    assert.deepEqual(await page.$$eval(".row.here", (rows) => rows.map((row) => row.textContent)), ["15    balance += amount;", "17  ++log_entries;"]);
    assert.deepEqual(await page.$$eval(".row.here mark", (marks) => marks.map((mark) => mark.textContent)), ["balance", "++"]);
    assert.ok((await page.$$(".source .k")).length > 0, "words of the language have a colour");
    // The picture: two threads, all steps, one edge, and the one that is missing between the two accesses.
    assert.deepEqual(await page.$$eval(".headtext", (heads) => heads.map((head) => head.textContent)), ["T2 'worker-2'", "T5 'flusher'"]);
    assert.equal((await page.$$(".picture .dot")).length, 4);
    assert.equal((await page.$$(".picture .access")).length, 2);
    assert.equal((await page.$$(".picture .edge")).length, 1);
    assert.equal((await page.$$(".picture .missing")).length, 1);
    assert.ok((await page.$eval(".picture svg", (svg) => svg.getAttribute("aria-label"))).includes("Nothing orders the two accesses"));
    // A second example.
    await page.click(".tabs button:nth-child(2)");
    assert.equal(await page.$eval(".tabs button:nth-child(2)", (button) => button.getAttribute("aria-pressed")), "true");
    await page.click(".bar a");
    await settle(page);
    assert.equal(await shown(page, "overview"), true);
    await close(page);
  },

  // Every bug can be opened, also those that are no races; by its address, too.
  async every_bug() {
    let page = await open("varied");
    const links = await page.$$eval("#rows .bug a", (all) => all.map((link) => [link.getAttribute("href"), link.textContent]));
    await close(page);
    for (const [hash, title] of links) {
      page = await open("varied", {hash});
      assert.equal(await page.$eval("#detail h1", (h) => h.textContent), title);
      const races = !/lock-order|leak/.test(title);
      assert.equal((await page.$$(".picture")).length, races ? 1 : 0, title);
      assert.ok((await page.$$("#detail .stack li")).length > 0, title);
      assert.equal((await page.$$("p.short")).length, races ? 1 : 0, title);
      assert.doesNotMatch(await page.$eval("#detail", (detail) => detail.innerText), /\b(null|undefined|NaN)\b/, title);
      if (/of a free/.test(title)) {  // what a library does between the program and the free is folded
        const folded = await page.$$eval(".pair .card:nth-child(1) li", (items) => items.filter((item) => !item.checkVisibility()).map((item) => item.querySelector(".fn").textContent));
        assert.deepEqual(folded, ["deallocate", "destroy", "~vector", "clear"]);
        assert.ok((await page.$eval(".pair", (pair) => pair.innerText)).includes("4 frames of libraries"));
      }
      await close(page);
    }
    page = await open("varied", {hash: "#0000000000000000"});
    assert.equal(await shown(page, "overview"), true);
    await close(page);
  },

  async folding() {
    const page = await open("varied");
    await page.click("#rows .bug a");
    await settle(page);
    const visible = () => page.$$eval(".pair .card:first-child .stack li", (items) => items.filter((item) => item.checkVisibility()).length);
    assert.equal(await visible(), 2);
    await page.click(".pair .card:first-child summary");
    assert.equal(await visible(), 6);
    await page.click(".pair .card:first-child summary");
    assert.equal(await visible(), 2);
    await page.keyboard.press("e");
    assert.equal(await page.$$eval("#detail details:not([open])", (all) => all.length), 0);
    await page.keyboard.press("e");
    assert.equal(await page.$$eval("#detail details[open]", (all) => all.length), 0);
    await close(page);
  },

  async keyboard() {
    const page = await open("varied");
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    const all = await titles(page);
    await page.keyboard.press("j");
    assert.equal(await focused(), all[0]);
    await page.keyboard.press("j");
    assert.equal(await focused(), all[1]);
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await settle(page);
    assert.equal(await focused(), all[0], "the title of the bug has the focus");
    await page.keyboard.press("j");
    await settle(page);
    assert.equal(await page.$eval("#detail h1", (h) => h.textContent), all[1]);
    await page.keyboard.press("Escape");
    await settle(page);
    assert.equal(await shown(page, "overview"), true);
    assert.equal(await focused(), all[1], "back at the row");
    await page.keyboard.press("/");
    await settle(page);
    await page.keyboard.type("jjkue");
    assert.equal(await page.$eval("#query", (input) => input.value), "jjkue", "keys are letters in a field");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    assert.equal(await page.$eval("#keys", (dialog) => dialog.open), true);
    await page.keyboard.press("Escape");
    assert.equal(await page.$eval("#keys", (dialog) => dialog.open), false);
    // With the tabulator alone, too.
    await page.reload();
    for (let i = 0; i < 40 && await page.evaluate(() => !document.activeElement.closest("#rows")); ++i) await page.keyboard.press("Tab");
    assert.equal(await focused(), all[0]);
    await close(page);
  },

  async looks() {
    for (const dark of [false, true]) {
      const page = await open("varied", {dark});
      await accessible(page, "the list");
      await picture(page, dark ? "list-dark" : "list");
      await page.keyboard.press("?");
      await accessible(page, "the keys");
      await page.keyboard.press("Escape");
      for (let bug = 0; bug < 7; ++bug) {
        await page.$$eval("#rows .bug a", (links, at) => links[at].click(), bug);
        await settle(page);
        if (bug === 0) await picture(page, dark ? "bug-dark" : "bug");
        await page.keyboard.press("e");
        await accessible(page, "bug " + bug);
        await page.keyboard.press("Escape");
        await settle(page);
      }
      // The button turns it round.
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const before = await ground();
      await page.click("#theme");
      assert.notEqual(await ground(), before);
      await close(page);
    }
  },

  async narrow() {
    const page = await open("varied", {width: 360, height: 740});
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(await wide() <= 360, "the list fits");
    await accessible(page, "the narrow list");
    await picture(page, "list-narrow");
    await page.select("#sort", "bug");
    assert.deepEqual(await titles(page), [...await titles(page)].sort(), "sorting works without the heads of columns");
    await page.select("#sort", "rank");
    await page.click("#rows .bug a");
    await settle(page);
    await page.keyboard.press("e");
    assert.ok(await wide() <= 360, "a bug fits");
    const tops = await page.$$eval(".pair .card", (cards) => cards.map((card) => card.getBoundingClientRect().top));
    assert.ok(tops[1] > tops[0] + 50, "accesses stand below each other");
    const size = await page.$eval(".picture text.strong", (text) => text.getBoundingClientRect().height);
    assert.ok(size > 12, "words of the picture can be read: " + size);
    await picture(page, "bug-narrow");
    await close(page);
  },

  async printing() {
    const page = await open("varied", {dark: true});
    const pdf = await page.pdf({format: "A4"});
    assert.ok((Buffer.from(pdf).toString("latin1").match(/\/Type\s*\/Page\b/g) || []).length >= 8, "a page for the list and one for each bug at least");
    await settle(page);
    assert.equal(await page.$eval("#printed", (box) => box.childElementCount), 0, "nothing of it stays");
    await page.setViewport({width: 720, height: 1000});
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMediaType("print");
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    assert.equal(await shown(page, "filters"), false);
    assert.equal((await page.$$("#printed article")).length, 7);
    await picture(page, "printed");
    await close(page);
  },

  async hostile() {
    for (const file of readdirSync(PAGES).filter((name) => name.startsWith("hostile")).sort()) {
      const page = await open(file.replace(".html", ""));
      const check = async (what) => {
        assert.equal(await page.evaluate(() => "injected" in window), false, file + ": something ran, " + what);
        assert.equal(await page.evaluate(() => document.querySelectorAll("#rows img, #rows script, #detail img, #detail script, #detail b[onmouseover], [onload], [onerror], [onmouseover]").length), 0, file + ": markup, " + what);
        assert.equal(await page.evaluate(() => document.scripts.length), 2, file);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 1280, file + " is too wide, " + what);
        assert.equal(await page.evaluate(() => /[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/.test(document.querySelector("main").innerText)), false, file + ": characters that cannot be seen, " + what);
      };
      assert.equal((await titles(page)).length, 2, file);
      await check("list");
      for (const bug of [0, 1]) {
        await page.$$eval("#rows .bug a", (links, at) => links[at].click(), bug);
        await settle(page);
        assert.equal(await shown(page, "detail"), true, file);
        await page.keyboard.press("e");
        await check("bug " + bug);
        await page.keyboard.press("Escape");
        await settle(page);
      }
      for (const id of ["query", "file", "function", "thread"]) await type(page, id, "<'\"&");
      await check("filter");
      await page.pdf();
      await close(page);
    }
  },

  async empty() {
    const page = await open("empty");
    assert.equal(await page.$eval("h1", (h) => h.textContent), "No bugs");
    assert.equal(await shown(page, "filters"), false);
    await accessible(page, "an empty report");
    await close(page);
  },

  // A thousand bugs: shown in less than a second, and every stroke in the filter is quick. The time is the CPU time of the page's thread, which
  // includes reading, script, style, layout and painting: another load on the machine does not change it.
  async thousand() {
    const times = [], strokes = [];
    for (let i = 0; i < 3; ++i) {
      const page = await open("varied");
      const session = await page.createCDPSession();
      await session.send("Performance.enable", {timeDomain: "threadTicks"});
      const spent = async () => (await session.send("Performance.getMetrics")).metrics.find((metric) => metric.name === "TaskDuration").value * 1000;
      const frame = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
      let before = await spent();
      await page.goto("file://" + PAGES + "/large.html", {waitUntil: "load"});
      await frame();
      const after = await spent();
      times.push(after >= before ? after - before : after);  // another process may show it, which begins at 0
      assert.equal(await page.$eval("#count", (p) => p.textContent), "1,000 bugs");
      assert.ok((await titles(page)).length >= 150);
      before = await spent();
      for (const text of ["i", "in", "ins", "inse", "insert_77"]) {
        await page.$eval("#query", (query, words) => { query.value = words; query.dispatchEvent(new Event("input")); }, text);
        await frame();
      }
      strokes.push((await spent() - before) / 5);
      assert.equal((await titles(page)).length, 11);
      // All rows are there for a reader who goes down.
      await page.$eval("#filters", (form) => form.reset());
      await settle(page);
      for (let more = 0; more < 100 && await page.$eval("#more", (button) => !button.hidden); ++more) {
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
        await frame();
      }
      assert.equal((await titles(page)).length, 1000);
      await close(page);
    }
    const size = statSync(PAGES + "/large.html").size;
    console.log("1,000 bugs (" + (size / 1e6).toFixed(1) + " MB): shown after " + Math.min(...times).toFixed(0) + " ms of CPU time, a stroke in the filter takes " + Math.min(...strokes).toFixed(0) + " ms");
    assert.ok(Math.min(...times) < 1000, "shown after " + times);
    assert.ok(Math.min(...strokes) < 100, "strokes " + strokes);
  },
};

let failures = 0;
const chosen = process.env.TESTS ? process.env.TESTS.split(",") : Object.keys(tests);
for (const [name, test] of Object.entries(tests).filter(([one]) => chosen.includes(one))) {
  try {
    await test();
    console.log("ok   " + name);
  } catch (error) {
    ++failures;
    console.log("FAIL " + name + ": " + error.message + "\n" + error.stack.split("\n").filter((line) => line.includes("page_test")).slice(0, 2).join("\n"));
    for (const page of (await browser.pages()).slice(1)) await page.close();
  }
}
await browser.close();
process.exit(failures ? 1 : 0);
