/** A tree of plain data as YAML in block style; texts are quoted as in JSON, which YAML reads too. */
export function formatYaml(tree: unknown): string {
  return `${block(tree, "").replace(/^\n/, "")}\n`;
}

function block(tree: unknown, indent: string): string {
  if (Array.isArray(tree)) {
    return tree.length === 0 ? " []" : tree.map((item) => `\n${indent}-${block(item, `${indent}  `)}`).join("");
  }
  if (typeof tree !== "object" || tree === null) return ` ${JSON.stringify(tree)}`;
  const entries = Object.entries(tree).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return " {}";
  return entries
    .map(([key, value]) => `\n${indent}${/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)}:${block(value, `${indent}  `)}`)
    .join("");
}
