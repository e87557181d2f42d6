// The search field suggests what its text names. Arrows choose a suggestion, Enter goes there.
type Suggestion = { readonly kind: string; readonly name: string; readonly href: string };

const find = document.querySelector<HTMLFormElement>(".find");
const field = find?.querySelector("input");
if (find && field) {
  const root = new URL(find.action.replace(/search[^/]*$/, ""));
  const list = Object.assign(document.createElement("ul"), { id: "suggestions", hidden: true, role: "listbox", ariaLabel: "Suggestions" });
  find.append(list);
  Object.assign(field, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false" });
  field.setAttribute("aria-controls", list.id);
  let items: HTMLElement[] = [];
  let chosen: HTMLElement | undefined;
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const choose = (item: HTMLElement | undefined): void => {
    chosen?.removeAttribute("aria-selected");
    chosen = item;
    item?.setAttribute("aria-selected", "true");
    if (item === undefined) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", item.id);
  };
  const show = (isShown: boolean): void => {
    list.hidden = !isShown;
    field.ariaExpanded = String(isShown);
    choose(undefined);
  };
  const itemOf = ({ kind, name, href }: Suggestion, i: number): HTMLElement => {
    const item = Object.assign(document.createElement("li"), { id: `suggestion-${i}`, role: "option" });
    item.dataset["href"] = new URL(href, root).href;
    item.append(Object.assign(document.createElement("span"), { className: "kind", textContent: kind }), ` ${name}`);
    item.addEventListener("mousedown", (event) => {
      event.preventDefault();
      go(item);
    });
    return item;
  };
  const go = (item: HTMLElement): void => location.assign(item.dataset["href"] ?? "");
  const suggest = async (): Promise<void> => {
    const mine = ++asked;
    const q = field.value.trim();
    if (q.length < 2) return show(false);
    const answering = fetch(new URL(`suggest?q=${encodeURIComponent(q)}`, root)).then((answer) => (answer.ok ? answer.json() : []));
    const found: readonly Suggestion[] = await answering.catch(() => []);
    // A later answer may have come before.
    if (mine !== asked) return;
    const before = chosen?.dataset["href"];
    items = found.map(itemOf);
    list.replaceChildren(...items);
    show(items.length > 0);
    // What was chosen stays so while more letters come.
    choose(items.find((item) => item.dataset["href"] === before));
  };

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, 120);
  });
  field.addEventListener("blur", () => show(false));
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const place = chosen === undefined ? -1 : items.indexOf(chosen);
    if (event.key === "ArrowDown") choose(items[(place + 1) % items.length]);
    else if (event.key === "ArrowUp") choose(items.at(Math.max(place, 0) - 1));
    else if (event.key === "Escape") {
      show(false);
      event.stopPropagation();
      return;
    } else if (event.key === "Enter" && chosen !== undefined) go(chosen);
    else return;
    event.preventDefault();
  });
}
