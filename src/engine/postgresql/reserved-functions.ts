import { plural } from "../../base/plural.ts";
import { printable } from "../../base/printable.ts";
import { sql } from "../../schema/sql/sql.ts";
import type { Surrounding } from "../database.ts";
import { StoreError } from "../errors.ts";
import { readAddress } from "./address.ts";
import { postgresEngine } from "./postgresql-engine.ts";

/**
 * Who may call functions that the server keeps for superusers since it was set up, though it gave them no right to: pg_monitor, and the
 * owner of a schema, whom movedex 0.1.0 told superusers to grant them. Without names to look up in schemas of others.
 */
const given = sql<[number, string | null, string]>`SELECT count(DISTINCT p.oid), CAST(min(p.proname) AS text), string_agg(DISTINCT
  CAST(r.rolname AS text), ' and ') FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_init_privs i ON i.objoid = p.oid
  AND i.classoid = CAST('pg_catalog.pg_proc' AS pg_catalog.regclass) CROSS JOIN pg_catalog.aclexplode(p.proacl) a
  JOIN pg_catalog.pg_roles r ON r.oid = a.grantee WHERE p.prokind IN ('f', 'w') AND a.privilege_type = 'EXECUTE'
  AND a.grantee <> p.proowner AND (r.rolname = 'pg_monitor' OR r.oid = (SELECT n.nspowner FROM pg_catalog.pg_namespace n
  WHERE n.nspname = :schema)) AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(i.initprivs) b WHERE b.grantee = a.grantee
  AND b.privilege_type = 'EXECUTE')`;

/** What `doctor` says of such rights; nothing where there are none, or where the server gives no answer. */
export async function reservedFunctions(address: string): Promise<readonly Surrounding[]> {
  const { schema } = readAddress(address);
  try {
    const engine = await postgresEngine(address, { connections: 1 });
    const row = await engine.first(given, { schema }).finally(engine.close);
    const [count = 0, name = null, roles = ""] = row ?? [];
    if (name === null) return [];
    const text =
      `${printable(roles)} may call ${plural(count, "function")} that PostgreSQL keeps for superusers, such as ${name}: ` +
      "`schema --grants` of movedex 0.1.0 gave them. A superuser takes them back with the statement in CHANGELOG.md, version 0.2.0, Security";
    return [{ state: "warn", text }];
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
}
