// Ctrl with the space bar completes, in a statement in SQL, the names of views and of their columns, which stand beside it.
const statement = document.querySelector<HTMLTextAreaElement>("textarea[name=sql]");
if (statement !== null) {
  const known = document.querySelectorAll(".side summary.mono, .side li > code");
  const names = [...new Set(Array.from(known, ({ textContent }) => textContent ?? ""))].sort();
  const list = Object.assign(document.createElement("div"), { className: "tabs", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Names");
  statement.after(list);

  const begun = (): string => /\w+$/.exec(statement.value.slice(0, statement.selectionStart))?.[0] ?? "";
  const take = (name: string): void => {
    const end = statement.selectionStart;
    statement.setRangeText(name, end - begun().length, end, "end");
    list.hidden = true;
    statement.focus();
  };
  const optionOf = (name: string): HTMLElement => {
    const option = Object.assign(document.createElement("button"), { type: "button", className: "mono", textContent: name });
    option.setAttribute("role", "option");
    option.addEventListener("click", () => take(name));
    return option;
  };
  const complete = (): void => {
    const start = begun().toLowerCase();
    const found = names.filter((name) => name.startsWith(start) && name !== start).slice(0, 24);
    const [first] = found;
    if (first !== undefined && found.length === 1) {
      take(first);
      return;
    }
    list.replaceChildren(...found.map(optionOf));
    list.hidden = found.length === 0;
  };

  statement.addEventListener("keydown", (event) => {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      complete();
    } else if (event.key === "Escape") list.hidden = true;
    else if (event.key === "ArrowDown" && !list.hidden) {
      event.preventDefault();
      (list.firstElementChild as HTMLElement | null)?.focus();
    }
  });
  list.addEventListener("keydown", (event) => {
    const { nextElementSibling: next, previousElementSibling } = document.activeElement ?? list;
    const previous = previousElementSibling ?? statement;
    const isForward = event.key === "ArrowDown" || event.key === "ArrowRight";
    const isBack = event.key === "ArrowUp" || event.key === "ArrowLeft";
    const to = isForward ? next : isBack ? previous : event.key === "Escape" ? statement : undefined;
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") list.hidden = true;
    (to as HTMLElement | null)?.focus();
  });
  statement.addEventListener("input", () => {
    if (!list.hidden) complete();
  });
}
