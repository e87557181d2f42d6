export const askService = `
const ask = async (q, root) => {
  const answer = await fetch(new URL("suggest?q=" + encodeURIComponent(q), root));
  return answer.ok ? await answer.json() : [];
};`;

/**
 * The pages' script. Everything works without it. `/` focuses the search field, which suggests results; a click on a column's head sorts
 * the table; a button copies; a slider chooses a module's version. It contacts this service only: `ask` names the function that looks up
 * suggestions.
 */
export const pageScript = (ask: string): string => `
${ask}
const typing = (node) => node instanceof HTMLElement && (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    if (event.key === "Enter" && event.target instanceof HTMLTextAreaElement) event.target.form?.requestSubmit();
    return;
  }
  if (event.key === "/" && !typing(event.target)) {
    event.preventDefault();
    const field = document.querySelector(".find input");
    field.focus();
    field.select();
  }
  if (event.key === "Escape" && typing(event.target)) event.target.blur();
});
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    const words = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = words; }, 1500);
  });
}
const find = document.querySelector(".find");
if (find !== null) {
  const field = find.querySelector("input");
  const list = Object.assign(document.createElement("ul"), { id: "suggestions", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  find.append(list);
  for (const [name, value] of [["role", "combobox"], ["aria-controls", list.id], ["aria-autocomplete", "list"], ["aria-expanded", "false"]])
    field.setAttribute(name, value);
  let [asked, chosen, timer] = [0, -1, undefined];
  const show = (isShown) => {
    list.hidden = !isShown;
    chosen = -1;
    field.setAttribute("aria-expanded", String(isShown));
    field.removeAttribute("aria-activedescendant");
  };
  const choose = (place) => {
    list.children[chosen]?.removeAttribute("aria-selected");
    chosen = place;
    const item = list.children[place];
    item?.setAttribute("aria-selected", "true");
    if (item === undefined) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", item.id);
  };
  const suggest = async () => {
    const mine = ++asked;
    const q = field.value.trim();
    if (q.length < 2) return show(false);
    const root = new URL(find.action.replace(/search[^/]*$/, ""));
    const found = await ask(q, root).catch(() => []);
    // A later answer may have come before.
    if (mine !== asked) return;
    const before = list.children[chosen]?.dataset.href;
    list.replaceChildren(...found.map(({ kind, name, href }, i) => {
      const item = Object.assign(document.createElement("li"), { id: "suggestion-" + i });
      item.setAttribute("role", "option");
      const word = Object.assign(document.createElement("span"), { className: "kind", textContent: kind });
      item.append(word, " " + name);
      item.dataset.href = new URL(href, root).href;
      item.addEventListener("mousedown", (event) => { event.preventDefault(); location.href = item.dataset.href; });
      return item;
    }));
    show(found.length > 0);
    // What was chosen stays so while more letters come.
    const same = [...list.children].findIndex((item) => item.dataset.href === before);
    if (same >= 0) choose(same);
  };
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(suggest, 120); });
  field.addEventListener("blur", () => show(false));
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const count = list.children.length;
    if (event.key === "ArrowDown") choose((chosen + 1) % count);
    else if (event.key === "ArrowUp") choose(chosen <= 0 ? count - 1 : chosen - 1);
    else if (event.key === "Escape") { show(false); event.stopPropagation(); return; }
    else if (event.key === "Enter" && chosen >= 0) location.href = list.children[chosen].dataset.href;
    else return;
    event.preventDefault();
  });
}
const units = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15, ms: 1, s: 1e3, min: 6e4, h: 36e5, d: 864e5, days: 864e5, day: 864e5, "%": 1 };
// What a text is worth: a whole number exactly, one with a point, or one with units, as 4.9 kB or 5 min 3 s.
const worth = (text) => {
  const plain = text.trim().replace(/(?<=\\d),(?=\\d{3})/g, "");
  if (/^-?\\d+$/.test(plain)) return BigInt(plain);
  if (/^-?\\d*\\.?\\d+(e[+-]?\\d+)?$/i.test(plain)) return Number(plain);
  const parts = [...plain.matchAll(/(\\d+(?:\\.\\d+)?) ?([a-zA-Z%]+) ?/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join("") !== plain || parts.some(([, , unit]) => units[unit] === undefined)) return undefined;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit], 0);
};
const order = (a, b) => {
  const [x, y] = [worth(a), worth(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : 0;
  if (x !== y && (x === undefined || y === undefined)) return x === undefined ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
};
for (const table of document.querySelectorAll("table.sortable")) {
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].sort((a, b) => order(a.cells[column].textContent, b.cells[column].textContent));
      table.tBodies[0].append(...(down ? rows.reverse() : rows));
    });
  }
}
for (const drawing of document.querySelectorAll(".graph svg")) {
  const show = (box) => {
    drawing.classList.toggle("near", box !== undefined);
    for (const line of drawing.querySelectorAll("path")) line.classList.toggle("on", box !== undefined && line.dataset.ends.split(" ").includes(box));
  };
  for (const box of drawing.querySelectorAll("a[data-box]")) {
    for (const event of ["pointerenter", "focus"]) box.addEventListener(event, () => show(box.dataset.box));
    for (const event of ["pointerleave", "blur"]) box.addEventListener(event, () => show(undefined));
  }
}
const statement = document.querySelector("textarea[name=sql]");
if (statement !== null) {
  // Names of views, and of their columns, as they stand beside.
  const names = [...new Set([...document.querySelectorAll(".side summary.mono, .side li > code")].map(({ textContent }) => textContent))].sort();
  const list = Object.assign(document.createElement("div"), { className: "tabs", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Names");
  statement.after(list);
  const begun = () => /[\\w]+$/.exec(statement.value.slice(0, statement.selectionStart))?.[0] ?? "";
  const take = (name) => {
    const end = statement.selectionStart;
    statement.setRangeText(name, end - begun().length, end, "end");
    list.hidden = true;
    statement.focus();
  };
  const complete = () => {
    const start = begun().toLowerCase();
    const found = names.filter((name) => name.startsWith(start) && name !== start).slice(0, 24);
    if (found.length === 1) return take(found[0]);
    list.replaceChildren(...found.map((name) => {
      const item = Object.assign(document.createElement("button"), { type: "button", className: "mono", textContent: name });
      item.setAttribute("role", "option");
      item.addEventListener("click", () => take(name));
      return item;
    }));
    list.hidden = found.length === 0;
  };
  statement.addEventListener("keydown", (event) => {
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); complete(); }
    else if (event.key === "Escape") list.hidden = true;
    else if (event.key === "ArrowDown" && !list.hidden) { event.preventDefault(); list.firstElementChild.focus(); }
  });
  list.addEventListener("keydown", (event) => {
    const item = document.activeElement;
    const to = { ArrowDown: item.nextElementSibling, ArrowRight: item.nextElementSibling, ArrowUp: item.previousElementSibling ?? statement,
      ArrowLeft: item.previousElementSibling ?? statement, Escape: statement }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") list.hidden = true;
    to?.focus();
  });
  statement.addEventListener("input", () => { if (!list.hidden) complete(); });
}
for (const list of document.querySelectorAll("ol[data-slide]")) {
  const links = [...list.querySelectorAll("a")];
  const place = links.findIndex((link) => link.hasAttribute("aria-current"));
  if (links.length < 3 || place < 0) continue;
  const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: links.length - 1, value: place });
  const name = () => slider.setAttribute("aria-valuetext", links[slider.value].title);
  slider.setAttribute("aria-label", list.dataset.slide);
  name();
  slider.addEventListener("input", () => { name(); slider.title = links[slider.value].title; });
  slider.addEventListener("change", () => { location.href = links[slider.value].href; });
  // Its knob stands below the dot of its version: each dot is in the middle of an equal part.
  slider.style.inlineSize = "calc(" + (100 - 100 / links.length) + "% + 1rem)";
  list.after(slider);
}
`;
