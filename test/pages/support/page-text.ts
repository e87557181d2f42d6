/** The text of a piece of HTML as a browser shows it, tags taken away. For pages of ours, which escape five characters and no others. */
export function textOfHtml(markup: string): string {
  const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return markup.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|quot|amp|#39);/g, (entity) => entities[entity] as string);
}

/** The source on a module's page. */
export function sourceOn(page: string): string {
  return textOfHtml(/<pre id="source">([\s\S]*?)<\/pre>/.exec(page)?.[1] ?? "");
}

/** The findings on a page that compares two versions, in their order there. */
export function findingsOn(page: string): { worst: string; rule: string; item: string; before: string | null; after: string | null }[] {
  return [...page.matchAll(/<li class="(\w+)" id="[^"]*">([\s\S]*?)<\/li>/g)].map(([, worst, body]) => {
    const part = (pattern: RegExp): string | null => {
      const found = pattern.exec(body as string)?.[1];
      return found === undefined ? null : textOfHtml(found);
    };
    return {
      worst: worst as string,
      rule: part(/<code>([^<]*)<\/code>/) ?? "",
      item: part(/<b>([^<]*)<\/b>/) ?? "",
      before: part(/<code class="was">− ([^<]*)<\/code>/),
      after: part(/<code class="is">\+ ([^<]*)<\/code>/),
    };
  });
}
