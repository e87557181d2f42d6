/**
 * Finds in a site's index what a text leads to, as the service's search does: parts of the index are loaded by the beginnings of words. It
 * stands for `ask` in the pages' script, and shows the results on the page of the search.
 */
export const askIndex = `
const kinds = ["account", "module", "function", "struct", "error"];
const words = (text) => (text.match(/[\\p{L}\\p{N}]+/gu) ?? []).map((word) => word.toLowerCase());
const split = (text) => (text.match(/[\\p{L}\\p{N}]+/gu) ?? []).flatMap((run) => [run, ...run.split(/(?<=[\\p{Ll}\\p{N}])(?=\\p{Lu})|(?<=\\p{Lu})(?=\\p{Lu}\\p{Ll})/gu)]).map((word) => word.toLowerCase());
const loaded = new Map();
const load = (name, root) => {
  if (!loaded.has(name)) loaded.set(name, fetch(new URL("search/" + name + ".json", root)).then((answer) => (answer.ok ? answer.json() : undefined)));
  return loaded.get(name);
};
const partName = (key) => "w-" + [...key].map((letter) => (/[a-z0-9]/.test(letter) ? letter : "_" + letter.codePointAt(0).toString(16))).join("");
const short = (address) => (address.length <= 18 ? address : address.slice(0, 8) + "…" + address.slice(-6));
const lookUp = async (q, root) => {
  const typed = words(q).slice(0, 12);
  const plain = typed.filter((word) => !word.startsWith("0x"));
  const address = typed.find((word) => word.startsWith("0x"));
  const longest = (plain.length > 0 ? plain : typed).reduce((a, b) => (b.length > a.length ? b : a), "");
  if (longest.length < 2) return { hits: [], isCut: false };
  const keys = (await load("keys", root)) ?? [];
  const fits = keys.filter((key) => {
    const isWhole = key.endsWith(".");
    const start = isWhole ? key.slice(0, -1) : key;
    return start.startsWith(longest) || (!isWhole && longest.startsWith(start)) || (isWhole && start === longest);
  });
  const parts = await Promise.all(fits.slice(0, 8).map((key) => load(partName(key), root)));
  const wanted = plain.length > 0 ? plain.join(" ") : "";
  const found = new Map();
  for (const part of parts) {
    for (const [number, kind, name, stem = "", text = ""] of part?.e ?? []) {
      const [account, module, file = module] = part.m[number];
      if (address !== undefined && !account.startsWith(address)) continue;
      const own = split(name);
      const all = [...own, ...split(text), ...split(module)];
      if (!plain.every((word) => all.some((other) => other.startsWith(word)))) continue;
      if (kind !== 0 && !plain.some((word) => [...own, ...split(text)].some((other) => other.startsWith(word))) && plain.length > 0) continue;
      const runs = words(name).join(" ");
      const rank = runs === wanted ? 0 : words(module).join(" ") + " " + runs === wanted ? 1 : runs.startsWith(wanted) ? 2 : plain.every((word) => own.some((other) => other.startsWith(word))) ? 3 : 4;
      const path = ["module", account, file].map(encodeURIComponent).join("/");
      const href = kind === 0 ? "account/" + account + ".html" : kind === 1 ? path + ".html" : kind === 4 ? path + ".html" + (/^[A-Za-z_$][\\w$]{0,300}$/.test(name) ? "#error." + name : "") : path + "/" + encodeURIComponent(stem === "" ? name : stem) + ".html";
      const label = kind === 0 ? account : [short(account), module, ...(kind === 1 ? [] : [name])].join("::");
      found.set(kind + " " + href, { kind: kinds[kind], name: label, href, text, rank, order: [rank, account.length > 3 ? 1 : 0, kind, account.length] });
    }
  }
  const hits = [...found.values()].sort((a, b) => {
    for (const [i, one] of a.order.entries()) if (one !== b.order[i]) return one - b.order[i];
    return a.name < b.name ? -1 : 1;
  });
  return { hits, isCut: fits.length > 8 || parts.some((part) => part?.cut === true) };
};
const ask = async (q, root) => (await lookUp(q, root)).hits.slice(0, 8);
const results = document.getElementById("results");
if (results !== null) {
  const q = (new URLSearchParams(location.search).get("q") ?? "").slice(0, 300);
  const root = new URL(document.querySelector(".find").action.replace(/search[^/]*$/, ""));
  for (const field of document.querySelectorAll("input[name=q]")) field.value = q;
  if (q !== "") {
    document.querySelector("h1").textContent = "Results for “" + q + "”";
    results.textContent = "…";
    lookUp(q, root).then(({ hits, isCut }) => {
      const list = Object.assign(document.createElement("ol"), { className: "hits" });
      list.append(...hits.slice(0, 100).map(({ kind, name, href, text }) => {
        const [item, line, word, link] = ["li", "p", "span", "a"].map((tag) => document.createElement(tag));
        word.className = "kind";
        word.textContent = kind;
        link.className = "mono";
        link.textContent = name;
        link.href = new URL(href, root).href;
        line.append(word, " ", link);
        item.append(line);
        if (text !== "") item.append(Object.assign(document.createElement("p"), { className: "words", textContent: text }));
        return item;
      }));
      const words = hits.length === 0 ? "Nothing in the newest snapshot has these words." : isCut || hits.length > 100 ? "There is more; another word narrows it." : "";
      results.replaceChildren(...(hits.length > 0 ? [list] : []), Object.assign(document.createElement("p"), { className: "dim", textContent: words }));
    }).catch(() => { results.textContent = "The index of the search could not be loaded."; });
  }
}
`;
