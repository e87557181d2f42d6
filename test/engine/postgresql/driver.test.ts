import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("says what to install when the packages for PostgreSQL are not there", () => {
  const hide = `
    import { registerHooks } from "node:module";
    registerHooks({ resolve: (name, context, next) => {
      if (name === "pg" || name === "pg-copy-streams") throw Object.assign(new Error("hidden"), { code: "ERR_MODULE_NOT_FOUND" });
      return next(name, context);
    } });
    const { postgresEngine } = await import("./src/engine/postgresql/postgresql-engine.ts");
    await postgresEngine("postgres://ann:secret@db/archive").catch((error) => console.log(error.code, error.message));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", hide], { encoding: "utf8" });
  expect(stdout.trim() || stderr).toBe(
    "MOVEDEX_STORE_CANNOT_OPEN could not open `postgres://ann@db:5432/archive`: PostgreSQL needs the packages `pg` and `pg-copy-streams`, " +
      "which are not installed. Install them beside movedex: `npm install pg@8 pg-copy-streams@7`.",
  );
});
