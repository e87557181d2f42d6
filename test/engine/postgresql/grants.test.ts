import { expect, test } from "vitest";
import { grantStatements } from "../../../src/schema/grants.ts";
import { serversBetween, sharedServers } from "../../support/postgres/servers.ts";
import { functionRights } from "../support/function-rights.ts";
import { eachPostgres } from "../support/postgres-databases.ts";

eachPostgres(
  "schema --grants",
  (open) => {
    test("gives nobody a function that PUBLIC did not have", async () => {
      const [at, fresh] = [await open(), await open()];
      await at.prepare(`CREATE ROLE ${at.name} LOGIN; CREATE SCHEMA movedex AUTHORIZATION ${at.name}`);
      await at.reader();
      const before = await functionRights(fresh);
      const after = await functionRights(at);
      expect(after.size).toBe(before.size);
      const gained = [...after].flatMap(([f, { roles }]) => {
        const had = before.get(f)?.roles ?? [];
        return had.includes("PUBLIC") ? [] : roles.filter((role) => !had.includes(role)).map((role) => `${role} ${f}`);
      });
      expect(gained).toEqual([]);
      expect(after.get("pg_reload_conf()")?.roles).toEqual(["postgres"]);
      // What is taken from everybody, those two keep.
      expect(after.get("pg_sleep(double precision)")?.roles).toEqual([at.name, "pg_monitor", "postgres"].sort());
    });

    test("runs nothing that a tenant made, wherever the superuser looks for names", async () => {
      const at = await open();
      const tenant = `${at.name}_tenant`;
      await at.prepare(`CREATE ROLE ${tenant}; GRANT CREATE ON SCHEMA public TO ${tenant}; CREATE SCHEMA movedex; CREATE ROLE ${at.name}`);
      await at.prepare("CREATE TABLE public.seen (who text); GRANT ALL ON public.seen TO PUBLIC");
      const trap = (signature: string, type: string, call: string) =>
        `CREATE FUNCTION public.${signature} RETURNS ${type} LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO public.seen VALUES (current_user); RETURN ${call}; END $f$`;
      for (const made of [
        trap("has_schema_privilege(a text, b oid, c text)", "bool", "pg_catalog.has_schema_privilege(a, b, c)"),
        trap("format(a text, b text, c text)", "text", "pg_catalog.format(a, b, c)"),
        trap("format(a text, b text, c name, d text)", "text", "pg_catalog.format(a, b, c, d)"),
        trap("format(a text, b regprocedure, c text)", "text", "pg_catalog.format(a, b, c)"),
        trap("format(a text, b regprocedure, c name)", "text", "pg_catalog.format(a, b, c)"),
      ])
        await at.prepare(`SET ROLE ${tenant}; ${made}`);
      for (const statement of grantStatements(at.name)) await at.prepare(`SET search_path = public, pg_catalog; ${statement}`);
      expect(await at.rows("SELECT who FROM public.seen")).toEqual([]);
      expect(await at.rows(`SELECT has_function_privilege('${at.name}', 'pg_sleep(double precision)', 'EXECUTE')`)).toEqual([[false]]);
    });

    test("says what it takes from whom", () => {
      expect(grantStatements("r")[0]).toMatch(/^\/\* Takes from PUBLIC: EXECUTE on functions .* CREATE on the schema public\..*\*\/$/);
    });
  },
  // Which functions there are differs from one version to the next.
  [...sharedServers, ...(await serversBetween())],
);
