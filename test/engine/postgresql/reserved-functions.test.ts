import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { packageFile } from "../../../src/base/files.ts";
import { serversBetween, sharedServers } from "../../support/postgres/servers.ts";
import { runCli } from "../../support/run-cli.ts";
import { functionRights } from "../support/function-rights.ts";
import { olderGrants } from "../support/older-grants.ts";
import { eachPostgres } from "../support/postgres-databases.ts";

/** The statements of the changelog that take rights back, without the indent of the list that they stand in. */
const statements = [...readFileSync(packageFile("CHANGELOG.md"), "utf8").matchAll(/\n {2}```sql\n(.*?)\n {2}```/gs)].map(
  ([, sql]) => sql as string,
);

eachPostgres(
  "what version 0.1.0 granted",
  (open) => {
    test.each(["a role", "the superuser"])(
      "is taken back by the changelog's statement, to the letter, where %s owns the schema",
      async (whose) => {
        const [at, fresh] = [await open(), await open()];
        await using node = await startSimNode({ ledger: createSampleLedger().ledger });
        const [owner, reader] = [`${at.name}_owner`, `${at.name}_reader`];
        await at.prepare(`CREATE ROLE ${owner} LOGIN PASSWORD 'x'; CREATE ROLE ${reader}; GRANT CREATE ON DATABASE ${at.name} TO ${owner}`);
        const url = whose === "a role" ? at.url(`${owner}:x`) : at.url();
        expect((await runCli(["targets", "add", "0x1", "--db", url])).code).toBe(0);
        await at.prepare(`GRANT USAGE ON SCHEMA movedex TO ${reader}`);
        const doctor = async () => (await runCli(["doctor", "--db", url, "--rpc", node.url, "--json"])).stdout;
        const before = await functionRights(fresh);
        expect(await functionRights(at)).toEqual(before);
        expect(await doctor()).not.toContain("keeps for superusers");

        await at.prepare(olderGrants(reader, "movedex"));
        const after = await functionRights(at);
        expect(after.get("lo_export(oid,text)")?.roles).toContain("pg_monitor");
        if (whose === "a role") expect(after.get("pg_read_file(text)")?.roles).toContain(owner);
        const found = await doctor();
        expect(found).toMatch(/pg_monitor[^"]* may call \d+ functions that PostgreSQL keeps for superusers, such as .* CHANGELOG\.md/);
        if (whose === "a role") expect(found).toContain(`pg_monitor and ${owner} may call`);

        expect(statements).toHaveLength(3);
        await at.prepare(statements[0] as string);
        const undone = await functionRights(at);
        // What PUBLIC never had is as it was, though not yet what was taken from PUBLIC.
        for (const [f, { roles, proacl }] of before) if (!roles.includes("PUBLIC")) expect([f, undone.get(f)?.proacl]).toEqual([f, proacl]);
        expect(await doctor()).not.toContain("keeps for superusers");
        expect(undone.get("pg_sleep(double precision)")?.roles).not.toContain("PUBLIC");
        await at.prepare(statements[1] as string);
        const rolesOf = (rights: typeof before) => [...rights].map(([f, { roles }]) => [f, roles]);
        expect(rolesOf(await functionRights(at))).toEqual(rolesOf(before));
      },
    );

    test("stays with other programs' functions, which may be closed on purpose, and the changelog lists them", async () => {
      const at = await open();
      const [owner, reader, caller] = ["owner", "reader", "caller"].map((name) => `${at.name}_${name}`) as [string, string, string];
      await at.prepare(`CREATE ROLE ${owner} LOGIN PASSWORD 'x'; CREATE ROLE ${reader}; CREATE ROLE ${caller};
        GRANT CREATE ON DATABASE ${at.name} TO ${owner};
        CREATE FUNCTION public.read_secret() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT current_user::text';
        REVOKE EXECUTE ON FUNCTION public.read_secret() FROM PUBLIC; GRANT EXECUTE ON FUNCTION public.read_secret() TO ${caller};
        CREATE FUNCTION public.mon() RETURNS int LANGUAGE sql AS 'SELECT 1';
        REVOKE EXECUTE ON FUNCTION public.mon() FROM PUBLIC; GRANT EXECUTE ON FUNCTION public.mon() TO pg_monitor;
        CREATE FUNCTION public.open_to_all() RETURNS int LANGUAGE sql AS 'SELECT 1';
        CREATE FUNCTION public.untouched() RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 1'`);
      expect((await runCli(["targets", "add", "0x1", "--db", at.url(`${owner}:x`)])).code).toBe(0);
      await at.prepare(`GRANT USAGE ON SCHEMA movedex TO ${reader}`);
      await at.prepare(olderGrants(reader, "movedex"));
      const before = await functionRights(at, "public");
      expect(before.get("read_secret()")?.roles).toEqual([caller, owner, "pg_monitor", "postgres"].sort());

      for (const statement of statements.slice(0, 2)) await at.prepare(statement);
      expect(await functionRights(at, "public")).toEqual(before);
      const callers = `pg_monitor, ${owner}`;
      expect(await at.rows(statements[2] as string)).toEqual(
        ["mon", "open_to_all", "read_secret"].map((name) => [`public.${name}()`, "postgres", callers]),
      );
    });
  },
  // Which functions there are differs from one version to the next.
  [...sharedServers, ...(await serversBetween())],
);
