// A click on a column's head sorts the table by what its texts are worth.
const sizes = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15 };
const times = { ms: 1, s: 1e3, min: 6e4, h: 36e5, d: 864e5, day: 864e5, days: 864e5 };
const units = new Map(Object.entries({ ...sizes, ...times, "%": 1 }));

/** What a text is worth: a whole number exactly, one with a point, or one with units, as 4.9 kB or 5 min 3 s. */
const worth = (text: string): bigint | number | undefined => {
  const plain = text.trim().replace(/(?<=\d),(?=\d{3})/g, "");
  if (/^-?\d+$/.test(plain)) return BigInt(plain);
  if (/^-?\d*\.?\d+(e[+-]?\d+)?$/i.test(plain)) return Number(plain);
  const parts = [...plain.matchAll(/(\d+(?:\.\d+)?) ?([a-zA-Z%]+) ?/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join("") !== plain) return undefined;
  const sum = parts.reduce((total, [, number, name = ""]) => total + Number(number) * (units.get(name) ?? Number.NaN), 0);
  return Number.isNaN(sum) ? undefined : sum;
};

/** What is worth a number comes before what is not. */
const order = (a: string, b: string): number => {
  const [x, y] = [worth(a), worth(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : 0;
  if (x !== y) return x === undefined ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
};

for (const table of document.querySelectorAll<HTMLTableElement>("table.sortable")) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const body = table.tBodies[0];
  for (const [column, head] of heads.entries()) {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    const textIn = (row: HTMLTableRowElement): string => row.cells[column]?.textContent ?? "";
    button.addEventListener("click", () => {
      const isDown = head.ariaSort === "ascending";
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = isDown ? "descending" : "ascending";
      const rows = [...(body?.rows ?? [])].sort((a, b) => order(textIn(a), textIn(b)));
      body?.append(...(isDown ? rows.reverse() : rows));
    });
  }
}
