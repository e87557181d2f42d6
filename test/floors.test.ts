import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const source = fileURLToPath(new URL("../src", import.meta.url));

/** The floor of each room. A room imports from lower floors and from itself only; rooms of one floor are strangers. */
const floors: Record<string, number> = {
  ground: 0,
  move: 1,
  schema: 1,
  abi: 2,
  node: 3,
  store: 3,
  exchange: 3,
  crawl: 4,
  serve: 4,
  sim: 4,
  top: 5,
};

/** Files at the top of src, and the folders that form one room with them. */
const roomOf: Record<string, string> = {
  base: "ground",
  "errors.ts": "ground",
  "exit-codes.ts": "ground",
  cli: "top",
  "config.ts": "top",
  "index.ts": "top",
  "main.ts": "top",
};

/** The libraries that have one door. */
const doors: Record<string, RegExp> = {
  "better-sqlite3": /^store\//,
  "drizzle-orm": /^schema\/dialects\/drizzle\.ts$/,
  undici: /^node\//,
  "p-queue": /^node\//,
  fastify: /^serve\//,
  "@mysten/bcs": /^move\//,
  "hyparquet-writer": /^exchange\//,
  hyparquet: /^exchange\//,
  commander: /^(cli\/|main\.ts$)/,
};

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const imports = files.flatMap((file) => {
  const text = readFileSync(join(source, file), "utf8");
  const specifiers = [
    ...text.matchAll(/(?:^|\n)(?:import|export)\s[^;"']*?from\s*["']([^"']+)["']|(?:import|resolve)\(\s*["']([^"']+)["']\s*\)/g),
  ];
  return specifiers.map((match) => ({ file, specifier: (match[1] ?? match[2]) as string }));
});

const room = (file: string): string => {
  const first = file.split("/")[0] as string;
  return roomOf[first] ?? first;
};

describe("floors", () => {
  test("every room has a floor", () => {
    expect([...new Set(files.map(room))].filter((name) => floors[name] === undefined)).toEqual([]);
  });

  test("imports go down, types included", () => {
    expect(imports.length).toBeGreaterThan(10);
    const upward = imports
      .filter(({ specifier }) => specifier.startsWith("."))
      .map(({ file, specifier }) => ({ file, target: relative(source, normalize(join(source, dirname(file), specifier))) }))
      .filter(({ file, target }) => room(file) !== room(target) && (floors[room(target)] ?? 99) >= (floors[room(file)] ?? -1))
      .map(({ file, target }) => `${file} -> ${target}`);
    expect(upward).toEqual([]);
  });

  test("each library is used behind its door only", () => {
    const strays = imports.filter(({ file, specifier }) => {
      const library = specifier.startsWith("@") ? specifier.split("/").slice(0, 2).join("/") : (specifier.split("/")[0] as string);
      const door = doors[library];
      return door !== undefined && !door.test(file);
    });
    expect(strays).toEqual([]);
  });
});
