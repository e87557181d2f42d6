/**
 * The pages' script: comfort only, everything works without it. `/` goes to the search field; a click on a column's head sorts
 * the table; a button copies what it names; marked lines stay in view. It asks no server for anything.
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
for (const form of document.querySelectorAll("form[data-submit-on-change]")) {
  form.addEventListener("change", () => form.requestSubmit());
}
`;
