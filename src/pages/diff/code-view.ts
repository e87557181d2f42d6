import type { CodeDiff, CodeLine } from "../../abi/compare/code-diff.ts";
import { codeText, functionSentence, missingCodeSentence } from "../../questions/diff/sentences.ts";
import { type Html, html } from "../html/html.ts";
import { text } from "../html/texts.ts";

const LINE_MAX = 2000;
const classes: Readonly<Record<CodeLine["change"], string>> = { same: "", removed: "was", added: "is" };

/** The instructions that differ, function by function; nothing when they were not asked for. */
export function codeView(code: CodeDiff | undefined): Html {
  if (code === undefined) return html``;
  const missing = missingCodeSentence(code);
  const functions = "unreadable" in code ? [] : code.functions;
  return html`<h2>Instructions</h2>${functions.map(
    (fn) =>
      html`<h3>${text(functionSentence(fn), 500)}</h3><div class="source" tabindex="0" role="region" aria-label="Instructions of ${text(fn.function, 200)} that differ"><pre>${fn.hunks.map(
        (hunk, i) =>
          html`${
            i === 0
              ? ""
              : html`<span class="dim">⋮</span>
`
          }${hunk.map(
            (line) => html`<span class="${classes[line.change]}">${text(codeText(line), LINE_MAX)}</span>
`,
          )}`,
      )}</pre></div>`,
  )}${missing === undefined ? "" : html`<p class="notice">${text(missing, 1000)}</p>`}`;
}
