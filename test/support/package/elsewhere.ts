import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProcess } from "../run-process.ts";

/**
 * Makes a project in `directory` and installs a packed movedex into it with npm, offline: npm links its dependencies from the checkout at
 * `root`. Leaves out the package's own shrinkwrap, because npm would ask a registry for it.
 */
export async function installElsewhere(directory: string, tarball: string, root: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: Record<string, string> };
  await runProcess("tar", ["-xzf", tarball, "-C", directory, "--exclude", "npm-shrinkwrap.json"]);
  await runProcess("tar", ["-czf", "movedex.tgz", "package"], { cwd: directory });
  const project = {
    name: "elsewhere",
    private: true,
    type: "module",
    dependencies: { movedex: "file:./movedex.tgz" },
    overrides: Object.fromEntries(Object.keys(dependencies).map((name) => [name, `file:${join(root, "node_modules", name)}`])),
  };
  writeFileSync(join(directory, "package.json"), JSON.stringify(project));
  const words = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, stderr } = await runProcess("npm", words, { cwd: directory });
  if (code !== 0) throw new Error(`npm could not install ${tarball}: ${stderr}`);
}
