import type { TestDatabase } from "./postgres-databases.ts";

/** Who may execute a function, and the same as the catalogue has it; null for what everybody may by default. */
export type FunctionRights = { readonly roles: readonly string[]; readonly proacl: string | null };

/** The rights to every function of a schema, by signature; by default the server's own. */
export async function functionRights(at: TestDatabase, schema = "pg_catalog"): Promise<ReadonlyMap<string, FunctionRights>> {
  const rows = await at.rows(`SELECT p.oid::regprocedure::text, p.proacl::text, array(
      SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee)::text END
      FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.privilege_type = 'EXECUTE' ORDER BY 1)
    FROM pg_proc p WHERE p.pronamespace = '${schema}'::regnamespace ORDER BY 1`);
  return new Map(
    rows.map(([f, proacl, roles]) => [f as string, { roles: [...(roles as string[])].sort(), proacl: proacl as string | null }]),
  );
}
