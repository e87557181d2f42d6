import { printable } from "../../../core/base/printable.ts";

/** A piece of HTML. Nothing else is taken for HTML: a text that is put into a template is escaped. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /** Joins what a template is made of; see `html`. The only maker of HTML. */
  static of(texts: readonly string[], parts: readonly Part[]): Html {
    let joined = texts[0] as string;
    for (const [i, part] of parts.entries()) joined += markup(part) + texts[i + 1];
    return new Html(joined);
  }

  /** Text whose line breaks and tabs count, as in `<pre>` and `<textarea>`. */
  static preserved(text: string): Html {
    return new Html(text.split("\n").map(escaped).join("\n"));
  }
}

/** What may stand in a template: HTML as it is, text and numbers escaped, lists one after another, nothing for nothing. */
export type Part = Html | string | number | bigint | false | null | undefined | readonly Part[];

type HtmlContext = "text" | "quoted" | "tag";
const contexts = new WeakMap<TemplateStringsArray, readonly HtmlContext[]>();

/**
 * HTML from a template. Texts are escaped, and what fools a screen (controls, direction marks, invisible characters) shows as its
 * code. @throws TypeError for text in a tag outside of double quotes; for HTML within quotes
 */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const known = contexts.get(texts) ?? contextsIn(texts);
  contexts.set(texts, known);
  for (const [i, part] of parts.entries()) {
    const context = known[i];
    if ((context === "tag" && isText(part)) || (context === "quoted" && part instanceof Html)) {
      throw new TypeError(
        `${context === "tag" ? "a text stands in a tag without quotes" : "HTML stands in quotes"}, after \`${texts[i]?.slice(-60)}\``,
      );
    }
  }
  return Html.of(texts, parts);
}

/** An attribute without a value, or nothing: `checked`, `open`. Only words of ours are known. */
export function flag(name: "checked" | "open" | "selected", isSet: boolean): Html {
  return Html.of([isSet ? ` ${name}` : ""], []);
}

/** Shows the pieces of a list until they have `most` characters. What is not shown is not made; `ending` says where it is. */
export function bounded(most: number) {
  let [left, hidden] = [most, 0];
  return {
    show: (make: () => Html): Html => {
      if (left <= 0) {
        hidden += 1;
        return html``;
      }
      const made = make();
      left -= made.text.length;
      return made;
    },
    /** Counts a piece that was never made. */
    leaveOut: (): void => {
      hidden += 1;
    },
    /** Counts what stands around it. */
    spend: (characters: number): void => {
      left -= characters;
    },
    /** `href` leads to more of it, in these words. */
    ending: (href?: string, words = `${hidden} more`): Html => {
      if (hidden === 0) return html``;
      const where = href === undefined ? html`<code>movedex diff</code> prints ${hidden} more` : html`<a href="${href}">${words}</a>`;
      return html`<p class="notice">The page would be too large: ${where}.</p>`;
    },
  };
}

export type Bounded = ReturnType<typeof bounded>;

function markup(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === null || part === undefined || part === false) return "";
  if (typeof part === "string") return escaped(part);
  if (typeof part === "number" || typeof part === "bigint") return String(part);
  return part.map(markup).join("");
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return printable(text, Number.POSITIVE_INFINITY).replace(/[&<>"']/g, (character) => entities[character] as string);
}

function isText(part: Part): boolean {
  return (typeof part === "string" && part !== "") || typeof part === "number" || typeof part === "bigint" || Array.isArray(part);
}

/** What each value of a template stands in. */
function contextsIn(texts: readonly string[]): HtmlContext[] {
  let context: HtmlContext = "text";
  return texts.slice(0, -1).map((text) => {
    for (const character of text) {
      if (context === "text") context = character === "<" ? "tag" : "text";
      else if (context === "quoted") context = character === '"' ? "tag" : "quoted";
      else if (character === '"') context = "quoted";
      else if (character === ">") context = "text";
    }
    return context;
  });
}
