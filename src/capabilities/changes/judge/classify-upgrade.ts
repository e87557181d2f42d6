import type { StoredContent } from "../../../core/db/archive/content/stored-content.ts";
import type { Integer } from "../../../core/db/engine/engine.ts";
import { summarise } from "../compare/finding.ts";
import { worstSeverity } from "../compare/severity.ts";
import { compareLoaded, type LoadedModule, loadContent, missingReason } from "../compare/sides.ts";
import { judgedTables, RULES_VERSION } from "../tables.ts";

type Row = readonly (string | number | null)[];

/** The rows of each table, their cells in the order of the columns. */
export type Judgement = Readonly<Record<keyof typeof judgedTables, readonly Row[]>>;

/** What the rules say of a bytecode that another replaced. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export function classifyUpgrade(contentOf: (id: Integer) => StoredContent, from: Integer, to: Integer): Judgement {
  const load = (id: Integer): LoadedModule => loadContent(contentOf(id), `${id}`);
  const [was, is] = [load(from), load(to)];
  const reasons = [was, is].map(missingReason);
  const reason = reasons.flatMap((text, i) => (text === undefined ? [] : [`${i === 0 ? "before" : "after"}: ${text}`]))[0];
  const difference = compareLoaded(was, is);
  const findings = difference?.findings ?? [];
  const { worst, forAudience, counts, refused, first, renamed } = summarise(findings, reason, difference?.renamed ?? []);
  const pair = [Number(from), Number(to)];
  const cells: Readonly<Record<string, string | number | null | undefined>> = {
    from_id: Number(from),
    to_id: Number(to),
    rules: RULES_VERSION,
    severity: worst ?? "unclear",
    ...forAudience,
    ...counts,
    refused,
    rule: first?.rule,
    item_kind: first?.item.kind,
    item: first?.item.name,
    reason,
  };
  return {
    judged_upgrades: [Object.keys(judgedTables.judged_upgrades.columns).map((name) => cells[name] ?? null)],
    judged_renames: renamed.map((item) => [...pair, item.kind, item.from, item.to]),
    judged_findings: findings.map(({ rule, item, severity, upgrade, before, after }, position) => {
      const { callers = null, clients = null, readers = null } = severity;
      const worstOfIt = worstSeverity(severity) ?? "silent";
      return [...pair, position, rule, item.kind, item.name, worstOfIt, callers, clients, readers, upgrade, before, after];
    }),
  };
}
