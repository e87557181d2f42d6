/**
 * The grammar of a Move identifier as a regular expression's source; `<SELF>`, with or without `_` and digits, is the module of a
 * script. Source: aptos-core `third_party/move/move-core/types/src/identifier.rs`.
 */
export const IDENTIFIER = String.raw`(?:[a-zA-Z][\w$]*|[_$][\w$]+|<SELF>(?:_[0-9]+)?)`;

const WHOLE = new RegExp(`^${IDENTIFIER}$`);

/** Whether text can be the name of a module, struct, function or field. */
export function isIdentifier(text: string): boolean {
  return WHOLE.test(text);
}
