import { sha256Hex } from "../../../src/core/base/sha256.ts";

/** What an alert found, with all that it may hold. */
const findings = {
  findings: [
    {
      rule: "function-removed",
      item_kind: "function",
      item: "withdraw",
      worst: "breaking",
      severity: { callers: "breaking", clients: "dangerous" },
      upgrade: "refused",
      before: 'public fun withdraw(a: &"\\\t\u001f\u007f\u2028é😀)',
      after: null,
      use: "through others",
      chain: ["0x1::coin::a", "0x1::coin::b"],
    },
    { rule: "module-bytes", item_kind: "module", item: null, worst: "silent", severity: {}, upgrade: "allowed", before: null, after: "" },
  ],
  total: 70,
  reason: 'after: it\'s "newer"',
  renamed: [{ item_kind: "struct", from_name: "Coin", to_name: "Money" }],
};
const uses = { own: ["0xe::mine"], modules: ["0x1::coin", "0x1::acl"], functions: ["0x1::coin::a"], structs: [] };
const bare = { findings: [], total: 0, reason: null };

/** The checksum of a row as an older movedex wrote it. */
function checksumOf(cells: Readonly<Record<string, string | number>>): number {
  const text = Object.entries(cells).reduce((sum, [name, cell]) => `${sum}${name}=${cell}\u001f`, "");
  return Number.parseInt(sha256Hex(text).slice(0, 12), 16);
}

/** Alerts and their watch as the first three migrations kept them: what of it was JSON, and SQL for the rows; a `time` by milliseconds. */
export function olderAlerts(time: (ms: number) => string) {
  const texts = [findings, bare].map((found) => JSON.stringify(found));
  const rows = texts.map((text, i) => {
    const cells = { id: i + 1, watch_id: 1, address_id: "0x1", name: "coin", to_sha256: "bb", after_version: 5, at_or_before_version: 9 };
    const all = { ...cells, shown_by: 9, severity: "breaking", is_alert: 1, findings: text, judged_at: 1000 };
    return `(${i + 1}, 1, 1, 'coin', NULL, 'bb', 5, 9, 9, 'breaking', 1 = 1, '${text.replaceAll("'", "''")}', ${time(1000)}, ${checksumOf(all)})`;
  });
  const used = JSON.stringify(uses);
  const sum = checksumOf({ id: 1, subject: "mine", level: "any", uses: used, added_at: 1000 });
  return {
    texts,
    uses,
    sql: `INSERT INTO _addresses (id, address) VALUES (1, '0x1');
      INSERT INTO _watches (id, subject, level, uses, added_at, checksum) VALUES (1, 'mine', 'any', '${used}', ${time(1000)}, ${sum});
      INSERT INTO _judgements VALUES ${rows.join(", ")};
      INSERT INTO _deliveries VALUES (1, 'file', 'a', 'waiting', 0, ${time(1000)}, NULL, NULL)`,
  };
}
