import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { packageFile } from "../../../src/base/files/package-file.ts";
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

        expect(statements).toHaveLength(2);
        await at.prepare(statements[0] as string);
        const undone = await functionRights(at);
        // What PUBLIC never had is as it was, though not yet what was taken from PUBLIC.
        for (const [f, { roles, proacl }] of before) if (!roles.includes("PUBLIC")) expect([f, undone.get(f)?.proacl]).toEqual([f, proacl]);
        expect(await doctor()).not.toContain("keeps for superusers");
        expect(undone.get("pg_sleep(double precision)")?.roles).not.toContain("PUBLIC");
        await at.prepare(statements[1] as string);
        // The owner of the schema still has by name what everybody has.
        const rolesOf = (rights: typeof before) => [...rights].map(([f, { roles }]) => [f, roles.filter((role) => role !== owner)]);
        expect(rolesOf(await functionRights(at))).toEqual(rolesOf(before));
      },
    );
  },
  // Which functions there are differs from one version to the next.
  [...sharedServers, ...(await serversBetween())],
);
