import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ExchangeError } from "../../src/capabilities/export/manifest.ts";
import { StoreError } from "../../src/core/db/engine/errors.ts";
import type { MovedexError } from "../../src/core/errors.ts";
import { exitCodes } from "../../src/core/exit-codes.ts";
import { errorClasses } from "../../src/core/node/protocol/error-classes.ts";
import { root } from "./support/pages.ts";

const page = readFileSync(join(root, "docs/errors.md"), "utf8");
const [codes = "", nodeErrors = ""] = page.slice(page.indexOf("## Error codes")).split("## Failures at the node");
/** The codes of the tables, with the last cell of their rows: an exit code, or what ends in its place. */
const documented = Array.from(codes.matchAll(/^\| `(MOVEDEX_\w+)` \|.* ([^|]+) \|$/gm), ([, code = "", exit = ""]) => ({ code, exit }));
const variables = new Set([
  "MOVEDEX_BASIC_AUTH",
  "MOVEDEX_RPC_URL",
  "MOVEDEX_API_KEY",
  "MOVEDEX_CONTACT",
  "MOVEDEX_PING_URL",
  "MOVEDEX_WEBHOOK_URL",
  "MOVEDEX_WEBHOOK_SECRET",
  // What a program is given that is told of an alert.
  "MOVEDEX_DELIVERY_ID",
  "MOVEDEX_MAYBE_REPEATED",
]);
/** What no page explains: what only tests set, and what is named as gone. */
const unexplained = new Set(["MOVEDEX_SMTP_URL"]);
const source = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(root, "src", name), "utf8"))
  .join("\n");

describe("docs/errors.md", () => {
  test("has every code of the source, and no other", () => {
    // A code that is only asked about, or named in a type or a comment, is raised by nobody.
    const raising = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/ .*|[!=]== "MOVEDEX_\w+"|\| "MOVEDEX_\w+"/g, "");
    const used = [...raising.matchAll(/\bMOVEDEX_[A-Z_]*[A-Z]\b/g)]
      .map(([code]) => code)
      .filter((code) => !variables.has(code) && !unexplained.has(code));
    expect(documented.map(({ code }) => code).sort()).toEqual([...new Set(used)].sort());
  });

  test("has every variable of the source that docs/commands.md explains", () => {
    const commands = readFileSync(join(root, "docs/commands.md"), "utf8");
    for (const name of variables) expect([source.includes(`"${name}"`), commands.includes(`\`${name}\``)]).toEqual([true, true]);
  });

  test("has every kind of failure at a node, and no other", () => {
    const named = new Set(nodeErrors.match(/\bMOVEDEX_NODE_[A-Z_]*[A-Z]\b/g));
    expect([...named].sort()).toEqual(
      Object.keys(errorClasses)
        .map((kind) => `MOVEDEX_NODE_${kind.toUpperCase()}`)
        .sort(),
    );
  });

  test("says which failures are final before the first answer", () => {
    const final = Object.entries(errorClasses).flatMap(([kind, one]) => ("isFinalAtFirst" in one ? [kind] : []));
    expect(final).toEqual(["unknown_host", "unknown_path", "credentials", "forbidden", "redirected"]);
    expect(nodeErrors.replaceAll("\n", " ")).toContain(
      "at once for 401, 403, a redirect and, at an address that never answered, 404 or an unknown host",
    );
  });

  test("says the exit codes that the errors have", () => {
    const exitOf = ({ exit }: MovedexError): string => String(exitCodes[exit].code);
    for (const { code, exit } of documented) {
      if (code.startsWith("MOVEDEX_STORE_")) expect(exitOf(new StoreError(code as "MOVEDEX_STORE_FULL", "")), code).toBe(exit);
      if (/_(?:EXPORT|IMPORT)_/.test(code)) expect(exitOf(new ExchangeError(code as "MOVEDEX_EXPORT_WRITE", "")), code).toBe(exit);
    }
  });
});
