import { mkdirSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { writeModule } from "../../../../sim/module-writer/module-writer.ts";
import { ended, runCli, test } from "../../../support/index.ts";
import { sealModules } from "../../../support/sealed-modules.ts";

test("a friend that a dependency lost alarms the watch of the friend's package, and no other", async ({ place }) => {
  const db = place.file("night.db");
  const vault = (friends: readonly string[]) => writeModule({ address: "0xb", name: "vault", friends });
  await sealModules(db, [{ version: 10n, accounts: { "0xb": [vault(["0xb::till"])] } }]);
  for (const name of ["till", "shop"]) {
    mkdirSync(place.file(name));
    writeFileSync(place.file(`${name}/m.mv`), writeModule({ address: "0xb", name, dependencies: ["0xb::vault"] }));
    await ended(runCli(["lock", place.file(name), place.file(`${name}/movedex.lock`), "--against", db]));
    await ended(runCli(["watch", "add", place.file(`${name}/movedex.lock`), "--level", "dangerous", "--db", db]));
  }
  await sealModules(db, [{ version: 20n, accounts: { "0xb": [vault([])] } }]);
  expect((await runCli(["tell", "--alerts-file", place.file("alerts.jsonl"), "--db", db])).code).toBe(0);
  const { stdout } = await runCli(["query", "SELECT subject, severity FROM alerts", "--format", "csv", "--db", db]);
  expect(stdout.trim().split(/\r?\n/).slice(1)).toEqual(["till,dangerous"]);
});
