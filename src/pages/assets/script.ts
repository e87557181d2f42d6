/**
 * The pages' script: comfort only, everything works without it. `/` goes to the search field; a click on a column's head sorts
 * the table; a button copies what it names; a module's versions are a slider. It asks no server for anything.
 */
export const pageScript = `
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
const numeric = (text) => (/^-?[\\d,]+(\\.\\d+)?$/.test(text) ? BigInt(text.replaceAll(",", "").split(".")[0]) : undefined);
const order = (a, b) => {
  const [x, y] = [numeric(a), numeric(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : 0;
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
  list.after(slider);
}
`;
