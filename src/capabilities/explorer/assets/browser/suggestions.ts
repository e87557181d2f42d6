// The search field suggests what its text names. Arrows choose a suggestion, Enter goes there.
type Suggestion = { readonly kind: string; readonly name: string; readonly href: string };

const ask = async (q: string, root: URL): Promise<readonly Suggestion[]> => {
  const answer = await fetch(new URL(`suggest?q=${encodeURIComponent(q)}`, root));
  return answer.ok ? ((await answer.json()) as Suggestion[]) : [];
};

const find = document.querySelector<HTMLFormElement>(".find");
const field = find?.querySelector("input");
if (find && field) {
  const list = Object.assign(document.createElement("ul"), { id: "suggestions", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  find.append(list);
  const combobox = { role: "combobox", "aria-controls": list.id, "aria-autocomplete": "list", "aria-expanded": "false" };
  for (const [name, value] of Object.entries(combobox)) field.setAttribute(name, value);
  let asked = 0;
  let chosen = -1;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const itemAt = (place: number): HTMLElement | undefined => list.children[place] as HTMLElement | undefined;
  const hrefOf = (item: HTMLElement | undefined): string | undefined => item?.dataset["href"];
  const show = (isShown: boolean): void => {
    list.hidden = !isShown;
    chosen = -1;
    field.setAttribute("aria-expanded", String(isShown));
    field.removeAttribute("aria-activedescendant");
  };
  const choose = (place: number): void => {
    itemAt(chosen)?.removeAttribute("aria-selected");
    chosen = place;
    const item = itemAt(place);
    item?.setAttribute("aria-selected", "true");
    if (item === undefined) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", item.id);
  };
  const itemOf = ({ kind, name, href }: Suggestion, i: number, root: URL): HTMLElement => {
    const item = Object.assign(document.createElement("li"), { id: `suggestion-${i}` });
    item.setAttribute("role", "option");
    const address = new URL(href, root).href;
    item.dataset["href"] = address;
    item.append(Object.assign(document.createElement("span"), { className: "kind", textContent: kind }), ` ${name}`);
    item.addEventListener("mousedown", (event) => {
      event.preventDefault();
      location.href = address;
    });
    return item;
  };
  const suggest = async (): Promise<void> => {
    const mine = ++asked;
    const q = field.value.trim();
    if (q.length < 2) return show(false);
    const root = new URL(find.action.replace(/search[^/]*$/, ""));
    const found = await ask(q, root).catch(() => []);
    // A later answer may have come before.
    if (mine !== asked) return;
    const before = hrefOf(itemAt(chosen));
    const items = found.map((suggestion, i) => itemOf(suggestion, i, root));
    list.replaceChildren(...items);
    show(items.length > 0);
    // What was chosen stays so while more letters come.
    const same = items.findIndex((item) => hrefOf(item) === before);
    if (same >= 0) choose(same);
  };

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, 120);
  });
  field.addEventListener("blur", () => show(false));
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const count = list.children.length;
    const address = hrefOf(itemAt(chosen));
    if (event.key === "ArrowDown") choose((chosen + 1) % count);
    else if (event.key === "ArrowUp") choose(chosen <= 0 ? count - 1 : chosen - 1);
    else if (event.key === "Escape") {
      show(false);
      event.stopPropagation();
      return;
    } else if (event.key === "Enter" && address !== undefined) location.href = address;
    else return;
    event.preventDefault();
  });
}
