import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const here = fileURLToPath(new URL("..", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const SOURCE = "https://github.com/movedex/movedex/blob/main";
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
/** The folder of this version's site. A correction of a release takes the place of the release: v0.1 is the newest 0.1. */
const folder = `v${version.split(".", 2).join(".")}`;

// The pages are those of the repository, at the same paths, so that their links to each other hold.
const pages = join(here, "pages");
rmSync(pages, { recursive: true, force: true });
for (const path of ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs"])
  cpSync(join(root, path), join(pages, path), { recursive: true });
// What typedoc made of the library's doc comments.
mkdirSync(join(pages, "api"));
writeFileSync(join(pages, "api/index.md"), withExamples(readFileSync(join(here, "api/index.md"), "utf8")));

/** The pages by what a reader wants. A page that no list has comes last, so that none is lost. */
const chapters: Readonly<Record<string, readonly string[]>> = {
  "Ask the archive": ["querying", "json", "cookbook", "exchange", "library", "explorer"],
  "Run it": ["install", "operations", "targets", "history", "watching", "serve", "postgresql", "scale"],
  Reference: ["commands", "schema", "diff-rules", "errors"],
};
const named = new Set(Object.values(chapters).flat());
const others = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md") && !named.has(name.slice(0, -3)))
  .map((name) => name.slice(0, -3));

const titleOf = (path: string): string => /^# (.*)$/m.exec(readFileSync(join(root, path), "utf8"))?.[1]?.replaceAll("`", "") ?? path;
const item = (path: string): { text: string; link: string } => ({ text: titleOf(`${path}.md`), link: `/${path}` });

export default defineConfig({
  title: "movedex",
  description: "Move modules and ABIs in SQL, every night, before the node prunes them",
  srcDir: "pages",
  base: `/${folder}/`,
  outDir: `dist/${folder}`,
  buildEnd: ({ outDir }) => listVersions(dirname(outDir)),
  cacheDir: ".vitepress/cache",
  rewrites: { "README.md": "index.md", "docs/decisions/README.md": "docs/decisions/index.md" },
  cleanUrls: true,
  lastUpdated: false,
  // Words in angle brackets are no HTML here, and comments mark what is generated.
  markdown: {
    html: false,
    config: (md) => {
      md.core.ruler.before("normalize", "comments", (state) => {
        state.src = state.src.replace(/<!--[\s\S]*?-->\n?/g, "");
      });
    },
  },
  vite: {
    plugins: [
      { name: "links-to-source", enforce: "pre", transform: (text, id) => (id.endsWith(".md") ? linkSource(text, id) : undefined) },
    ],
  },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Commands", link: "/docs/commands" },
      { text: "Views", link: "/docs/schema" },
      { text: "Cookbook", link: "/docs/cookbook" },
      { text: "API", link: "/api/" },
      {
        text: version,
        items: [
          { text: "Changelog", link: "/CHANGELOG" },
          { text: "Contributing", link: "/CONTRIBUTING" },
          { text: "Security", link: "/SECURITY" },
        ],
      },
    ],
    sidebar: [
      { text: "Overview", link: "/" },
      ...Object.entries(chapters).map(([text, pages]) => ({ text, items: pages.map((page) => item(`docs/${page}`)) })),
      { text: "API of the library", link: "/api/" },
      { text: "Background", items: [...others.map((page) => item(`docs/${page}`)), { text: "Decisions", link: "/docs/decisions/" }] },
    ],
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: "https://github.com/movedex/movedex" }],
  },
});

/** Lists the versions in a folder, the newest first, and leads from its top to that one. */
function listVersions(top: string): void {
  const versions = readdirSync(top)
    .filter((name) => /^v\d+\.\d+$/.test(name))
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  writeFileSync(join(top, "versions.json"), `${JSON.stringify(versions)}\n`);
  const newest = `${versions[0]}/`;
  writeFileSync(
    join(top, "index.html"),
    `<!doctype html><meta http-equiv="refresh" content="0; url=${newest}"><a href="${newest}">movedex</a>\n`,
  );
}

/** Links to files that are no pages (examples, sources, measurements) lead to the repository. */
function linkSource(text: string, id: string): string {
  return text.replace(/\]\((?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)/g, (link, path: string, heading = "") => {
    const file = relative(pages, resolve(dirname(id), path));
    const isPage = path.endsWith(".md") && !file.startsWith("test/");
    const isPicture = /\.(svg|png)$/.test(path);
    return isPage || isPicture || !existsSync(join(root, file)) ? link : `](${SOURCE}/${file}${heading})`;
  });
}

/** The reference with an example for each function: those of docs/library.md, which tests run. */
function withExamples(reference: string): string {
  const library = readFileSync(join(root, "docs/library.md"), "utf8");
  const examples = [...library.matchAll(/^```ts\n([\s\S]*?)^```\n(?:\n```text\n[\s\S]*?^```\n)?/gm)];
  return reference
    .split(/^(?=### )/m)
    .map((section) => {
      const [, name] = /^### (\w+)\(\)$/m.exec(section) ?? [];
      const [example] = examples.find(([, code = ""]) => name !== undefined && new RegExp(`^import .*\\b${name}\\b`, "m").test(code)) ?? [];
      if (example === undefined) return section;
      return section.replace(/(?:\n\*\*\*\s*)?$/, (end) => `\n#### Example\n\n${example}${end}\n`);
    })
    .join("");
}
