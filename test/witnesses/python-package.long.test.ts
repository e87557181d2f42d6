import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { openDatabase } from "../engine/support/postgres-databases.ts";
import { ended } from "../support/command/ended.ts";
import { sharedServers } from "../support/postgres/servers.ts";
import { runCli } from "../support/run-cli.ts";
import { runProcess } from "../support/run-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { countsOf, makeArchive } from "./archive.ts";
import { missingModules, named, output, python } from "./programs.ts";

const source = fileURLToPath(new URL("../../python", import.meta.url));
const script = fileURLToPath(new URL("python/package_frames.py", import.meta.url));
const missing = missingModules("hatchling", "pandas", "polars", "psycopg");

type Frames = Readonly<Record<"rows" | "types" | "entries" | "sequence_numbers" | "first" | "at" | "query" | "meaning", unknown>>;
type Answer = { readonly file: string; readonly pandas: Frames; readonly polars: Frames };

describe.skipIf(missing !== undefined)(named("the Python package, its wheel installed in an environment of its own", missing), () => {
  const place = temporaryDirectory();
  const own = place.file("environment/bin/python3");

  beforeAll(() => {
    output(python, ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", place.file("wheels"), source]);
    output(python, ["-m", "venv", place.file("environment")]);
    const [wheel = ""] = readdirSync(place.file("wheels"));
    expect(wheel).toBe("movedex-0.2.0-py3-none-any.whl");
    output(own, ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", join(place.file("wheels"), wheel)]);
    // pandas, polars and psycopg are those of the machine.
    const packages = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
    writeFileSync(join(output(own, ["-c", packages]).trim(), "others.pth"), output(python, ["-c", packages]));
  });

  const ask = async (database: string): Promise<Answer> => {
    const { code, stdout, stderr } = await runProcess(own, [script, database], { cwd: place.path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as Answer;
  };

  test("gives every view of a file as frames of pandas and polars, with the types of its columns", async () => {
    const db = place.file("night.db");
    await makeArchive(db);
    const { file, pandas, polars } = await ask(db);
    expect(file).toContain(place.path);
    expect(pandas.rows).toEqual(Object.fromEntries([...countsOf(db)].filter(([view]) => !view.startsWith("_"))));
    expect(pandas).toMatchObject({ types: { ledger_version: "Int64", name: "string", is_entry: "boolean" }, first: "UTC" });
    expect(polars).toMatchObject({ types: { ledger_version: "Int64", name: "String", is_entry: "Boolean" } });
    for (const said of ["rows", "entries", "sequence_numbers", "at", "query", "meaning"] as const)
      expect(polars[said]).toEqual(pandas[said]);
    expect(pandas.entries).toContain("swap_exact_in");
  });

  const untyped = missingModules("mypy");
  test.skipIf(untyped !== undefined)(named("passes mypy under strict rules, as do programs that use it", untyped), () => {
    writeFileSync(
      place.file("user.py"),
      'import movedex\nwith movedex.open("night.db") as archive:\n    print(archive.views[0].upper())\n',
    );
    const checked = output(own, ["-m", "mypy", "--strict", "--no-incremental", "-p", "movedex"], { cwd: place.path });
    expect(checked).toContain("Success");
    expect(output(own, ["-m", "mypy", "--strict", "--no-incremental", "user.py"], { cwd: place.path })).toContain("Success");
  });

  test("prints what docs/querying.md shows", () => {
    const page = readFileSync(fileURLToPath(new URL("../../docs/querying.md", import.meta.url)), "utf8");
    const [, example = ""] = /^```python\n(import movedex\n[\s\S]*?)^```$/m.exec(page) ?? [];
    expect(output(own, ["-c", example], { cwd: place.path })).toMatch(/^pool +\d+$/m);
  });

  const server = sharedServers.find(({ url }) => url !== undefined)?.url;
  test.skipIf(server === undefined)("gives the same of a PostgreSQL database, through a role that can only read", async () => {
    const database = await openDatabase(Number(new URL(server as string).port));
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const accounts = [...sample.codeAccounts, sample.trader].flatMap((account) => ["--account", account]);
    for (const db of [database.url(), place.file("same.db")]) {
      await ended(runCli(["sync", "--rpc", node.url, "--rate", "0", ...accounts, "--db", db]));
    }
    const [there, here] = [await ask(await database.reader()), await ask(place.file("same.db"))];
    for (const said of ["types", "entries", "sequence_numbers", "at", "query", "first"] as const)
      expect(there.pandas[said]).toEqual(here.pandas[said]);
  });
});
