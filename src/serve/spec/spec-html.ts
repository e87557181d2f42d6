export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text with `code` in it as HTML. */
export function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** A table of cells that are HTML already, which scrolls by itself, by keyboard too, where a screen is too narrow. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  const name = heads.join(", ").replace(/<[^>]*>/g, "");
  return `<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table><tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr>\n${body}</table></div>`;
}
