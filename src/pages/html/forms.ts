import { audienceMeanings, audiences } from "../../abi/compare/severity.ts";
import { flag, type Html, html } from "./html.ts";

/** A choice in a form: each option's value with its words. */
export function choice(name: string, options: readonly (readonly [value: string, words: string])[], chosen: string | undefined): Html {
  const entries = options.map(([value, words]) => html`<option value="${value}"${flag("selected", value === chosen)}>${words}</option>`);
  return html`<select name="${name}">${entries}</select>`;
}

export function audienceChoice(chosen: string | undefined): Html {
  const options = audiences.map((one) => [one, `${one}: ${audienceMeanings[one]}`] as const);
  return html`<label>For${choice("audience", [["", "everybody"], ...options], chosen)}</label>`;
}

export function checkbox(name: string, words: string, isChecked: boolean): Html {
  return html`<label class="box"><input type="checkbox" name="${name}" value="1"${flag("checked", isChecked)}>${words}</label>`;
}

export function accountField(value: string | undefined): Html {
  return html`<label>Account<input name="account" value="${value ?? ""}" placeholder="0x1" maxlength="66" spellcheck="false"></label>`;
}

/** A value that a form sends along. */
export function hidden(name: string, value: string | bigint | undefined): Html {
  return value === undefined ? html`` : html`<input type="hidden" name="${name}" value="${value}">`;
}
