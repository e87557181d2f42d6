import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { rooms } from "../../scripts/docs/rooms.ts";
import { readPages, root } from "./support/pages.ts";

/** Folders inside a folder, by their path from the root. */
const foldersIn = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => (path === "" ? entry.name : `${path}/${entry.name}`));

describe("docs/architecture.md", () => {
  test("has every room of src and its rooms in the map, those of sim, and no other", () => {
    const mapped = Object.keys(rooms).filter((path) => path.includes("/"));
    const there = [...foldersIn("src").flatMap((room) => [room, ...foldersIn(room)]), ...foldersIn("sim")];
    expect(mapped.toSorted()).toEqual(there.toSorted());
  });

  test("maps what stands beside src", () => {
    const ignored = new Set(readFileSync(join(root, ".gitignore"), "utf8").split("\n"));
    const there = foldersIn("").filter((name) => !name.startsWith(".") && !ignored.has(`${name}/`));
    expect(Object.keys(rooms).filter((path) => !path.includes("/"))).toEqual(there.toSorted());
  });

  test("follows the order of the folders", () => {
    const beside = Object.keys(rooms).filter((path) => !path.includes("/"));
    expect(beside).toEqual(beside.toSorted());
  });

  test("shows each folder below the one that it is in", () => {
    const paths = Object.keys(rooms);
    const depthOf = (path: string): number => path.split("/").length;
    const strays = paths.filter((path, i) => {
      const above = paths.slice(0, i).findLast((other) => depthOf(other) < depthOf(path));
      return path.includes("/") && dirname(path) !== above;
    });
    expect(strays).toEqual([]);
  });
});

describe("files and folders that the documentation names", () => {
  const generated = /^<!-- begin [\s\S]*?^<!-- end /gm;
  const named = readPages().flatMap(({ path, text }) =>
    [...text.replaceAll(generated, "").matchAll(/`((?:src|sim|test|scripts|jobs|migrations|bin|tools)\/[\w./-]*\w\/?)`/g)].map((match) => ({
      page: path,
      file: match[1] as string,
    })),
  );

  test("are there", () => {
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
  });
});
