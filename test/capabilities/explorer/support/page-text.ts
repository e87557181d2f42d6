/** The text of a piece of HTML as a browser shows it, tags taken away. For pages of ours, which escape five characters and no others. */
export function textOfHtml(markup: string): string {
  const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return markup.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|quot|amp|#39);/g, (entity) => entities[entity] as string);
}
