/** How many names a witness holds; a module can have thousands. */
const NAMES = 20;

/** Names in their order on one line, cut when there are many; null when there are none. */
export function listNames(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const rest = names.length - NAMES;
  return `${names.slice(0, NAMES).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
