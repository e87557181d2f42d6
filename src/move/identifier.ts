/**
 * The grammar of a Move identifier, as the source of a regular expression: a letter and more letters, digits, `_` or `$`;
 * or `_` or `$` with at least one of these after it; or `<SELF>`, the module name of scripts, with or without `_` and
 * digits. Source: aptos-core `third_party/move/move-core/types/src/identifier.rs`.
 */
export const IDENTIFIER = String.raw`(?:[a-zA-Z][\w$]*|[_$][\w$]+|<SELF>(?:_[0-9]+)?)`;

const WHOLE = new RegExp(`^${IDENTIFIER}$`);

/** Whether text can be the name of a module, struct, function or field. */
export function isIdentifier(text: string): boolean {
  return WHOLE.test(text);
}
