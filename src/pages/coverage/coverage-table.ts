import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { accountLink, count, dateTime, table, text } from "../html/texts.ts";
import type { ListedAccount } from "./coverage-queries.ts";

/** What there is of an account at a version: `code` is its modules without its record. Nothing was asked where it is undefined. */
export type Cell = { readonly kind: "read" | "code" | "gap" | "inferred"; readonly reason: string | null };

export type Line = { readonly row: ListedAccount; readonly cells: readonly (Cell | undefined)[] };

/** What a bar's colours mean. */
const meanings: Readonly<Record<Cell["kind"] | "never", string>> = {
  read: "read",
  code: "read, its modules alone and not its record",
  gap: "gap",
  inferred: "inferred from both sides",
  never: "never asked",
};

const HEADS = ["Account", "Covered", "Read", "Gaps", "Newest gap", "Now"];

/** A line for each account: a bar of the versions, how many of them were read, its gaps, and how it stands at the newest one. */
export function coverageTable(versions: readonly bigint[], lines: readonly Line[], links: Links): Html {
  const seen = new Set(lines.flatMap(({ cells }) => cells.map((cell) => cell?.kind ?? "never")));
  const keys = (Object.keys(meanings) as (keyof typeof meanings)[]).filter((kind) => seen.has(kind));
  const rows = lines.map(({ row, cells }) => {
    const gaps = cells.flatMap((cell, i) => (cell?.kind === "gap" ? [{ version: versions[i] as bigint, reason: cell.reason ?? "" }] : []));
    const read = cells.filter((cell) => cell?.kind === "read" || cell?.kind === "code").length;
    const newest = gaps.at(-1);
    return [
      accountLink(links, row.address),
      bar(versions, cells),
      html`<span class="num">${count(read)}</span> <span class="dim">/ ${count(versions.length)}</span>`,
      html`<span class="num">${gaps.length === 0 ? "" : count(gaps.length)}</span>`,
      newest === undefined ? "" : html`${gapLink(newest.version, links)} <code>${text(newest.reason, 60)}</code>`,
      stateOf(row),
    ];
  });
  return html`<p class="legend">${keys.map((kind) => html`<span class="key ${kind}">${meanings[kind]}</span>`)}</p>
${table("Coverage", HEADS, rows)}`;
}

function gapLink(version: bigint, links: Links): Html {
  return html`<a class="num" href="${links.gaps({ night: version })}">${count(version)}</a>`;
}

function stateOf({ state, removedAt }: ListedAccount): string {
  if (removedAt !== null) return `off the list of targets since ${dateTime(removedAt)} UTC`;
  return { read: "", gap: "a gap at the newest version", out: "not asked about at the newest version" }[state];
}

/** The versions share the width of the bar; neighbours of one kind are one rectangle. */
function bar(versions: readonly bigint[], cells: Line["cells"]): Html {
  const at = (place: number): string => `${Number(((100 * place) / versions.length).toFixed(2))}%`;
  const stretches: Html[] = [];
  for (let from = 0, to = 1; from < cells.length; from = to, to = from + 1) {
    const found = cells[from];
    while (to < cells.length && cells[to]?.kind === found?.kind && cells[to]?.reason === found?.reason) to += 1;
    // What was never asked is what lies below.
    if (found === undefined) continue;
    const [first, last] = [count(versions[from] ?? 0n), count(versions[to - 1] ?? 0n)];
    const range = first === last ? first : `${first} to ${last}`;
    const why = found.reason === null ? "" : `: ${text(found.reason, 60)}`;
    const title = `${range}: ${meanings[found.kind]}${why}`;
    stretches.push(html`<rect class="${found.kind}" x="${at(from)}" width="${at(to - from)}" height="100%"><title>${title}</title></rect>`);
  }
  return html`<svg class="covered" aria-hidden="true"><rect class="never" width="100%" height="100%"/>${stretches}</svg>`;
}
