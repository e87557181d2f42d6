import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPages, root } from "./support/pages.ts";

/** Folders inside a folder, by their path from the root. */
const foldersIn = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => (path === "" ? entry.name : `${path}/${entry.name}`));

/** The folders of the map, by their path: what stands further to the right is inside what stands above it. */
function mappedFolders(): string[] {
  const [, map = ""] = /^```text\n(bin\/[\s\S]*?)^```$/m.exec(readFileSync(join(root, "docs/architecture.md"), "utf8")) ?? [];
  const above: string[] = [];
  return Array.from(map.matchAll(/^( *)([\w-]+)\/ +\S/gm), ([, indent = "", name = ""]) => {
    above.splice(indent.length / 2, Number.POSITIVE_INFINITY, name);
    return above.join("/");
  });
}

describe("docs/architecture.md", () => {
  test("has every room of src and its rooms in the map, those of sim, and no other", () => {
    const within = (path: string, levels: number): string[] =>
      foldersIn(path).flatMap((folder) => [
        folder,
        ...(levels === 0 ? [] : within(folder, folder === "src/core/db" ? levels : levels - 1)),
      ]);
    const there = [...within("src", 1), ...within("src/core", 1), ...within("sim", 0)];
    const mapped = mappedFolders().filter((path) => path.includes("/"));
    expect(mapped.toSorted()).toEqual([...new Set(there)].toSorted());
  });

  test("maps what stands beside src, in the order of the folders", () => {
    const ignored = new Set(readFileSync(join(root, ".gitignore"), "utf8").split("\n"));
    const there = foldersIn("").filter((name) => !name.startsWith(".") && !ignored.has(`${name}/`));
    expect(mappedFolders().filter((path) => !path.includes("/"))).toEqual(there.toSorted());
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
