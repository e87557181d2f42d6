import { assets } from "../../../../src/pages/assets/assets.ts";

/** What a style sheet says outside of its conditions: declarations by selector, later ones over earlier ones. */
function rulesOf(style: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const rules = new Map<string, Map<string, string>>();
  const unconditional = style.replaceAll(/\/\*.*?\*\//gs, "").replaceAll(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, "");
  for (const [, selectors = "", body = ""] of unconditional.matchAll(/([^{}]+)\{([^{}]*)\}/g))
    for (const selector of selectors.split(",").map((one) => one.trim())) {
      const known = rules.get(selector) ?? new Map<string, string>();
      for (const declaration of body.split(";").filter((one) => one.includes(":"))) {
        const [name = "", ...value] = declaration.split(":");
        known.set(name.trim(), value.join(":").trim());
      }
      rules.set(selector, known);
    }
  return rules;
}

const rules = rulesOf(Buffer.from(assets.style.body).toString("utf8"));

/** The colours, in light and in dark, that a rule gives a property. @throws Error where there is no such rule, or no colour in it */
export function coloursOf(selector: string, property: string): { readonly light: string; readonly dark: string } {
  let value = rules.get(selector)?.get(property);
  if (value === undefined) throw new Error(`the style gives ${selector} no ${property}`);
  for (let name = /^var\((--[\w-]+)\)$/.exec(value)?.[1]; name !== undefined; name = /^var\((--[\w-]+)\)$/.exec(value ?? "")?.[1])
    value = rules.get(":root")?.get(name);
  const [, light, dark] = /^light-dark\((#\w+), (#\w+)\)$/.exec(value ?? "") ?? [];
  if (light === undefined || dark === undefined) throw new Error(`${property} of ${selector} is no pair of colours: ${value}`);
  return { light, dark };
}
