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
  return [...page.matchAll(/<li class="(\w+)"><details><summary>(<code>[\s\S]*?)<\/li>/g)].map(([, worst, body]) => {
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

/** What `show` prints without the constants of error codes, which a page has in a table. */
export function withoutConstants(source: string): string {
  // A page has no options.
  const sections = source.replace(/; --all shows (?:it|them)$/m, "").split("\n\n");
  const [head = "", ...rest] = sections;
  // The first constant may follow the module's own line at once.
  const [opening, ...first] = head.split(/\n(?= {4}(?:\/\/\/|const ))/);
  const isConstant = (section: string) => /^ {4}const \w+: u64 = \d+;\n?\}?\n?$/m.test(section) && /^ {4}(?:\/\/\/|const )/.test(section);
  const kept = rest.filter((section) => !isConstant(section));
  const isLast = rest.length > 0 && isConstant(rest.at(-1) ?? "");
  const whole = first.length > 0 && isConstant(first.join("\n"));
  const begun = whole ? `${opening}\n${kept.shift() ?? "}\n"}` : head;
  return [begun, ...kept].join("\n\n") + (isLast ? "\n}\n" : "");
}

/** The codes and names of the constants that `show` prints. */
export function constantsIn(source: string): string[] {
  return [...source.matchAll(/^ {4}const (\w+): u64 = (\d+);$/gm)].map(([, name, code]) => `${code} ${name}`);
}

/** The codes and names in a page's table of error codes. */
export function errorsOn(page: string): string[] {
  return [
    ...page.matchAll(/<td[^>]*><span class="num">(\d+)<\/span><\/td><td><a class="mono" href="[^"]+" id="error\.\w+">([^<]+)<\/a>/g),
  ].map(([, code, name]) => `${code} ${name}`);
}
