import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { openStore } from "../../src/core/work/store.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const source = new URL("../../src/core/questions/query-process.ts", import.meta.url).href;
const canFollow = spawnSync("setpriv", ["--pdeathsig", "KILL", "true"]).status === 0;

test.runIf(canFollow)("a statement without an end ends with the process that asked it, however that one ended", async () => {
  using place = temporaryDirectory();
  const path = place.file("archive.db");
  await (await openStore(path, { mode: "write", now: () => 0, appVersion: "9.9.9" })).close();
  const sql = "WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT count(*) FROM a";
  const asks = `const { startQuery, queryBounds } = await import(${JSON.stringify(source)});
    const query = ${JSON.stringify({ path, sql, format: "csv", maxRows: 0, params: {}, width: null })};
    process.stdout.write(String(startQuery(query, queryBounds.terminal).pid));`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", asks], { stdio: ["ignore", "pipe", "inherit"] });
  const [pid] = (await once(parent.stdout, "data")).map(Number) as [number];
  expect(process.kill(pid, 0)).toBe(true);
  // Its statement has begun by then, or begins without anyone to ask it.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  parent.kill("SIGKILL");
  await once(parent, "close");
  await expect
    .poll(() =>
      spawnSync("ps", ["-o", "stat=", "-p", `${pid}`])
        .stdout.toString()
        .replace(/^Z.*/, "")
        .trim(),
    )
    .toBe("");
});
