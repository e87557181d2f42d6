import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { capabilities as listed } from "../src/capabilities.ts";
import { capabilitiesFor } from "../src/core/cli/core-commands.ts";
import { isBrought, reachedFrom, source, specifiersIn, targetsOf } from "./support/imports.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const capabilities = await capabilitiesFor([], listed);

/** The floor of each room. A room imports from lower floors and from itself only; rooms of one floor are strangers. */
const floors: Record<string, number> = {
  ground: 0,
  move: 1,
  schema: 1,
  abi: 2,
  node: 3,
  engine: 3,
  archive: 4,
  work: 5,
  questions: 6,
  crawl: 6,
  top: 7,
  capabilities: 8,
  main: 9,
  // Beside src: what serves the demonstration and the tests.
  sim: 10,
};

/** Files beside the rooms, and the folders that form one room with them. */
const roomOf: Record<string, string> = {
  base: "ground",
  "errors.ts": "ground",
  "exit-codes.ts": "ground",
  cli: "top",
  "index.ts": "main",
  "decode.ts": "main",
  "diff.ts": "main",
  "explain.ts": "main",
  "main.ts": "main",
  "capabilities.ts": "main",
};

/** The libraries that have one door. */
const doors: Record<string, RegExp> = {
  "better-sqlite3": /^(core\/db\/engine\/sqlite|capabilities\/backup\/file)\//,
  pg: /^capabilities\/postgresql\//,
  "drizzle-orm": /^capabilities\/drizzle\//,
  undici: /^core\/node\//,
  "p-queue": /^(core\/node|capabilities\/serve)\//,
  fastify: /^capabilities\/(serve|pages)\//,
  "@fastify/rate-limit": /^capabilities\/serve\//,
  "@mysten/bcs": /^core\/move\//,
  "@noble/hashes": /^capabilities\/changes\//,
  "csv-parse": /^capabilities\/targets\/file\//,
  "hyparquet-writer": /^capabilities\/export\//,
  diff: /^capabilities\/changes\/compare\//,
  "smol-toml": /^capabilities\/settings\//,
  commander: /^(core\/cli\/|capabilities\/|main\.ts$)/,
};

/** More files than this in one folder are hard to take in at a glance. */
const FILES_PER_FOLDER = 20;

/** Columns of a line of the pages: biome breaks code, and leaves markup in templates as it is. */
const COLUMNS = 140;
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const files = [...filesIn("src"), ...filesIn("sim").map((name) => `../sim/${name}`)];
const imports = files.flatMap((file) => specifiersIn(file).map((specifier) => ({ file, specifier })));
const inside = files.flatMap((file) => targetsOf(file).map((target) => ({ file, target })));

const room = (file: string): string => {
  // What capabilities bring to the tables and views of a database is of the room of these.
  if (isBrought(file)) return "schema";
  const first = file.replace(/^(?:\.\.|core\/db|core)\//, "").split("/")[0] as string;
  return roomOf[first] ?? first;
};

describe("floors", () => {
  test("every room has a floor", () => {
    expect([...new Set(files.map(room))].filter((name) => floors[name] === undefined)).toEqual([]);
  });

  test("imports go down, types included", () => {
    expect(imports.length).toBeGreaterThan(10);
    const upward = inside
      .filter(({ file, target }) => room(file) !== room(target) && (floors[room(target)] ?? 99) >= (floors[room(file)] ?? -1))
      .filter(({ target }) => room(target) !== "sim")
      .map(({ file, target }) => `${file} -> ${target}`);
    expect(upward).toEqual([]);
  });

  test("a capability imports from those that it says it needs, the program has each once, and a page of 40 lines tells of it", () => {
    const names = readdirSync(join(source, "capabilities"));
    const linesOf = (name: string) => readFileSync(join(source, "capabilities", name, "README.md"), "utf8").split("\n").length;
    expect(names.filter((name) => linesOf(name) > 40)).toEqual([]);
    expect(capabilities.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    const capabilityOf = (file: string) => /^capabilities\/([^/]+)\//.exec(file)?.[1];
    const between = inside
      .map(({ file, target }) => [capabilityOf(file), capabilityOf(target)] as const)
      .filter(([from, to]) => from !== undefined && to !== undefined && from !== to)
      .map(([from, to]) => `${from} needs ${to}`);
    const said = capabilities.flatMap(({ name, needs = [] }) => needs.map((need) => `${name} needs ${need}`));
    expect([...new Set(between)].toSorted()).toEqual(said.toSorted());
  });

  test("nothing of the core imports a capability: tables and views come by the two lists", () => {
    expect(inside.filter(({ file, target }) => file.startsWith("core/") && target.startsWith("capabilities/"))).toEqual([]);
  });

  test("what reads modules knows neither HTTP nor SQL, `node` no SQL, `db` no HTTP, and nothing else of the core speaks HTTP", () => {
    const isOf = (rooms: readonly string[]) => (file: string) => rooms.includes(room(file));
    const [sql, http] = [/\bsql`|\b(?:SELECT|INSERT INTO|DELETE FROM) /, /\bfetch\(|["']node:(?:https?|http2|net|tls|dgram)["']/];
    const linesLike = (wrong: RegExp, chosen: (file: string) => boolean) =>
      files.filter((file) => chosen(file) && wrong.test(readFileSync(join(source, file), "utf8")));
    expect(linesLike(sql, isOf(["ground", "move", "abi", "node"]))).toEqual([]);
    expect(linesLike(http, (file) => file.startsWith("core/") && room(file) !== "node")).toEqual([]);
    const apart = inside.filter(({ file, target }) => ["abi", "node"].includes(room(file)) && room(target) === "schema");
    expect(apart).toEqual([]);
  });

  test("a capability that is loaded later has no part in commands of the core, where it would be missing", () => {
    const hooks = [
      "openDatabase",
      "settings",
      "chooseTargets",
      "afterSeal",
      "derivedRows",
      "warnings",
      "metrics",
      "notices",
      "tracedFirst",
      "readAccounts",
    ];
    const later = new Set(listed.filter((one) => "load" in one).map(({ name }) => name));
    expect(later.size).toBeGreaterThan(20);
    expect(capabilities.filter((one) => later.has(one.name) && hooks.some((hook) => hook in one))).toEqual([]);
  });

  test("outside of `core/db`, and the folders of a server, of copies of files and of drizzle, nobody asks which engine a database is of", () => {
    const asks = /\b[dD]ialect\b|["'`](?:postgresql["'`]|\.[^"'`]*\/db\/engine\/sqlite\/)|(?:\(|=== )"sqlite"/;
    const others = files.filter((file) => !/^(?:core\/db|capabilities\/(?:postgresql|drizzle|backup\/file))\//.test(file));
    expect(others.filter((file) => asks.test(readFileSync(join(source, file), "utf8")))).toEqual([]);
  });

  test("the simulated node stands at the edge: one command asks for it, and it knows of modules only", () => {
    const asked = inside.filter(({ file, target }) => room(file) !== "sim" && room(target) === "sim").map(({ file }) => file);
    expect(asked).toEqual(["capabilities/demo/index.ts"]);
    const known = inside.filter(({ file, target }) => room(file) === "sim" && room(target) !== "sim").map(({ target }) => room(target));
    expect(new Set(known)).toEqual(new Set(["ground", "move", "abi"]));
  });

  test("imports form no cycle, types included", () => {
    expect(findCycles(inside)).toEqual([]);
  });

  test("folders inside a room have an order too", () => {
    const folders = new Set(files.map((file) => dirname(file)));
    const holdsFolders = (folder: string): boolean => [...folders].some((other) => other.startsWith(`${folder}/`));
    // A file beside folders stands for itself: some of them all folders need, others need all folders. So do tables and views.
    const isAlone = (file: string): boolean => dirname(file) === "." || holdsFolders(dirname(file)) || isBrought(file);
    const placeOf = (file: string): string => (isAlone(file) ? file : `${dirname(file)}/`);
    const between = inside.map(({ file, target }) => ({ file: placeOf(file), target: placeOf(target) }));
    expect(findCycles(between.filter(({ file, target }) => file !== target))).toEqual([]);
  });

  test("what a browser imports asks for nothing of Node.js", () => {
    const reached = new Set(["decode.ts", "diff.ts", "explain.ts"].flatMap((file) => [...reachedFrom(file)]));
    expect(reached.size).toBeGreaterThan(50);
    expect(imports.filter(({ file, specifier }) => reached.has(file) && specifier.startsWith("node:"))).toEqual([]);
    // Comments aside; test/library/runtimes.long.test.ts runs them without Node.js.
    const asks = /^(?!\s*(?:\*|\/\/)).*\b(?:Buffer|process)[.(]/m;
    expect([...reached].filter((file) => asks.test(readFileSync(join(source, file), "utf8")))).toEqual([]);
  });

  test("each library is used behind its door only", () => {
    const strays = imports.filter(({ file, specifier }) => {
      const library = specifier.startsWith("@") ? specifier.split("/").slice(0, 2).join("/") : (specifier.split("/")[0] as string);
      const door = doors[library];
      return door !== undefined && !door.test(file);
    });
    expect(strays).toEqual([]);
  });

  test(`a folder holds ${FILES_PER_FOLDER} files at most`, () => {
    const counts = new Map<string, number>();
    for (const top of ["src", "sim", "test", "jobs", "scripts"]) {
      for (const entry of readdirSync(join(root, top), { recursive: true, withFileTypes: true })) {
        const folder = relative(root, entry.parentPath);
        // The help has a golden file for each command.
        if (!entry.isFile() || folder.startsWith("test/golden/outputs/")) continue;
        counts.set(folder, (counts.get(folder) ?? 0) + 1);
      }
    }
    expect([...counts].filter(([, count]) => count > FILES_PER_FOLDER)).toEqual([]);
  });

  test(`lines of the pages have ${COLUMNS} columns at most, and what a browser runs stands in files of its own`, () => {
    const pages = ["pages", "explorer"]
      .flatMap((name) => readdirSync(join(source, "capabilities", name), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => relative(source, join(entry.parentPath, entry.name)));
    expect(pages.length).toBeGreaterThan(20);
    const linesLike = (wrong: RegExp): string[] =>
      pages.flatMap((file) => {
        const lines = readFileSync(join(source, file), "utf8").split("\n");
        return lines.flatMap((line, i) => (wrong.test(line) ? [`${file}:${i + 1}`] : []));
      });
    expect(linesLike(new RegExp(`.{${COLUMNS + 1}}`, "u"))).toEqual([]);
    const forBrowsers = /<style\b|<script\b(?! src=)|\sstyle="|\son[a-z]+="|@media\b|\bdocument\.\w+\(/;
    expect(linesLike(forBrowsers).filter((file) => !/^capabilities\/pages\/assets\/(?:browser|style)\//.test(file))).toEqual([]);
  });

  test("tests that share processes (all but those that vitest.config.ts names) change nothing of them", () => {
    const changes = /process\.(?:chdir|on|once|umask)\(|process\.env\[[^\]]+\] =(?!=)|\bvi\.(?:mock|stub\w+|spyOn|useFakeTimers)\(/;
    const own = /const OWN_PROCESS = \[([^\]]*)\]/.exec(readFileSync(join(root, "vitest.config.ts"), "utf8"))?.[1] ?? "";
    // kill-at-call.ts is loaded by processes that tests start, as a script of start-up.test.ts is; the global setup has its own process.
    const aside = /(?:\/start-up\.test|\/kill-at-call|\/global-setup|\/floors\.test)\.ts$/;
    const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).map((name) => `test/${name}`);
    const isOwn = (file: string) => own.includes(`"${file}"`) || file.startsWith("test/golden/");
    const shared = files.filter((file) => file.endsWith(".ts") && !aside.test(file) && !isOwn(file));
    expect(own).not.toBe("");
    expect(shared.length).toBeGreaterThan(300);
    expect(shared.filter((file) => changes.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
  });
});

type Import = { readonly file: string; readonly target: string };

/** One line for each import that leads back to where it came from, by depth-first search. */
function findCycles(edges: readonly Import[]): string[] {
  const targets = Map.groupBy(edges, ({ file }) => file);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file].join(" -> "));
    if (at >= 0 || done.has(file)) return;
    for (const { target } of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}
