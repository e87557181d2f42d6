import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { readPages, root } from "./support/pages.ts";

const pages = readPages();
const { files, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[]; version: string };

/** The targets of a page's links and pictures; code is not looked at. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`(?!\])/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] as string);
}

/** The anchors that a page's headings have, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm);
  return [...headings].map((match) =>
    (match[1] as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

const isAbsolute = (link: string): boolean => /^https:\/\//.test(link);
const links = pages.flatMap(({ path, text }) => linksOf(text).map((link) => ({ path, link })));

describe("links of the documentation", () => {
  test("lead to files that are there, and to headings that these have", () => {
    const broken = links.filter(({ path, link }) => {
      if (isAbsolute(link)) return false;
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file));
      if (target.startsWith("..") || !existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(join(root, target), "utf8")).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test("lead, in what the package ships, only to what it ships", () => {
    const ships = (path: string): boolean =>
      path === "package.json" || files.some((entry) => path === entry || path.startsWith(`${entry}/`));
    const strays = links.filter(({ path, link }) => {
      if (isAbsolute(link) || link.startsWith("#") || !ships(path)) return false;
      return !ships(posix.normalize(posix.join(dirname(path), link.split("#")[0] as string)));
    });
    expect(strays).toEqual([]);
    expect(pages.filter(({ path }) => !ships(path)).map(({ path }) => path)).toEqual([]);
  });

  test("name the package's file by its version", () => {
    const readme = pages.find(({ path }) => path === "README.md")?.text ?? "";
    expect(readme).toContain(`./movedex-${version}.tgz`);
  });
});
