"use strict";
(function () {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);

  // colours
  const themes = ["automatic", "light", "dark"];
  const button = byId("theme");
  function paint(theme) {
    if (theme === "automatic") delete root.dataset.theme; else root.dataset.theme = theme;
    button.querySelector("span").textContent = theme;
  }
  function remembered() { try { return localStorage.getItem("theorems-theme"); } catch (e) { return null; } }
  let theme = themes.includes(remembered()) ? remembered() : "automatic";
  paint(theme);
  button.addEventListener("click", function () {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    paint(theme);
    try { localStorage.setItem("theorems-theme", theme); } catch (e) { /* private windows remember nothing */ }
  });

  // filters
  const LIMIT = 100; // rows and cards shown, until all are asked for
  const CHUNK = 8; // cards that appear at a time: a card costs more than a row
  const form = document.querySelector(".filters");
  const find = byId("find");
  const selects = Array.from(form.querySelectorAll("select"));
  const body = byId("list").tBodies[0];
  const cards = byId("cards");
  const more = byId("more");
  let rows = Array.from(body.rows, function (row) {
    const card = byId(row.querySelector("a").hash.slice(1));
    card.hidden = true;
    row.hidden = true;
    return { row: row, card: card, text: card.textContent.toLowerCase(), data: row.dataset };
  });
  let all = false;
  let searched = null;
  let later = null;
  function filter() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = selects.filter((s) => s.value).map((s) => [s.dataset.key, s.value]);
    const waiting = [];
    let count = 0;
    for (const r of rows) {
      const match = words.every((w) => r.text.includes(w)) && wanted.every(([k, v]) => r.data[k] === v);
      if (match) count += 1;
      const shown = match && (all || count <= LIMIT);
      if (r.row.hidden === shown) r.row.hidden = !shown;
      if (!shown && !r.card.hidden) r.card.hidden = true;
      if (shown && r.card.hidden) waiting.push(r.card);
    }
    clearTimeout(searched);
    clearTimeout(later);
    appear(waiting, 0);
    byId("count").textContent = count + " of " + rows.length + " claims";
    more.hidden = all || count <= LIMIT;
    more.firstChild.textContent = "show all " + count + " (" + LIMIT + " are shown)";
  }
  function appear(waiting, from) {
    for (const card of waiting.slice(from, from + CHUNK)) card.hidden = false;
    if (from + CHUNK < waiting.length) later = setTimeout(appear, 0, waiting, from + CHUNK);
  }
  form.addEventListener("input", function (event) {
    clearTimeout(searched);
    searched = setTimeout(filter, event.target === find ? 30 : 0);
  });
  form.addEventListener("submit", function (event) { event.preventDefault(); filter(); });
  form.addEventListener("reset", function () { all = false; setTimeout(filter, 0); });
  more.firstChild.addEventListener("click", function () { all = true; filter(); });

  // sorting
  const heads = Array.from(document.querySelectorAll("#list thead th"));
  function key(row, i) {
    const cell = row.cells[i];
    if (cell.dataset.v === undefined) return cell.textContent;
    return cell.dataset.v === "" ? null : Number(cell.dataset.v);
  }
  heads.forEach(function (head, i) {
    head.querySelector("button").addEventListener("click", function () {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((h) => h.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const keyed = rows.map((r, place) => ({ r: r, k: key(r.row, i), place: place }));
      keyed.sort(function (a, b) {
        if (a.k === null || b.k === null) return (a.k === null) - (b.k === null) || a.place - b.place;
        const order = typeof a.k === "number" ? a.k - b.k : a.k < b.k ? -1 : a.k > b.k ? 1 : 0;
        return (down ? -order : order) || a.place - b.place;
      });
      rows = keyed.map((x) => x.r);
      const sorted = document.createDocumentFragment();
      rows.forEach((r) => sorted.append(r.row));
      body.append(sorted);
      if (!more.hidden) filter();
    });
  });

  // keyboard
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (event.key === "/" && !["INPUT", "SELECT"].includes(target.tagName)) {
      event.preventDefault();
      find.focus();
    } else if (event.key === "Escape" && target === find) {
      find.value = "";
      filter();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && target.closest && target.closest("#list tbody")) {
      const step = event.key === "ArrowDown" ? "nextElementSibling" : "previousElementSibling";
      let row = target.closest("tr")[step];
      while (row && row.hidden) row = row[step];
      if (row) { event.preventDefault(); row.querySelector("a").focus(); }
    }
  });

  // deep links
  function visit() {
    const card = byId(location.hash.slice(1));
    if (!card || card.parentNode !== cards) return;
    if (card.hidden) card.hidden = false;
    card.scrollIntoView({ behavior: "instant", block: "start" });
    card.focus({ preventScroll: true });
  }
  window.addEventListener("hashchange", visit);

  // print everything that is folded, and fold it again
  let folded = [];
  window.addEventListener("beforeprint", function () {
    clearTimeout(later);
    for (const r of rows) if (!r.row.hidden) r.card.hidden = false;
    folded = Array.from(document.querySelectorAll("main details:not([open])"));
    folded.forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () { folded.forEach(function (d) { d.open = false; }); });

  filter();
  root.classList.add("ready");
  visit();
})();
