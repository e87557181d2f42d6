import { readFileSync } from "node:fs";
import { packageFile } from "../../../src/core/base/files.ts";

/** The statements of docs/postgresql.md that make a role which can only read, for a role and a schema of this test. */
export function readerStatements(at: { readonly role: string; readonly owner: string; readonly schema?: string }): string {
  const [, block = ""] = /```sql\n(CREATE ROLE movedex_reader .*?)```/s.exec(readFileSync(packageFile("docs/postgresql.md"), "utf8")) ?? [];
  return block
    .replaceAll("movedex_reader", at.role)
    .replace("PASSWORD '…'", "PASSWORD 'reads'")
    .replace("FOR ROLE movedex ", `FOR ROLE ${at.owner} `)
    .replace(/SCHEMA movedex\b/g, `SCHEMA ${at.schema ?? "movedex"}`)
    .replace("search_path = movedex", `search_path = ${at.schema ?? "movedex"}`);
}

/** Those that make a role which can write, of the same page, for a database of this test; its password is `secret`. */
export function writerStatements(role: string, database: string): string {
  const [, block = ""] = /```sql\n(CREATE ROLE movedex LOGIN .*?)```/s.exec(readFileSync(packageFile("docs/postgresql.md"), "utf8")) ?? [];
  return block
    .replace("movedex LOGIN PASSWORD '…'", `${role} LOGIN PASSWORD 'secret'`)
    .replace("ON DATABASE archive TO movedex", `ON DATABASE ${database} TO ${role}`);
}
