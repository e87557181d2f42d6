import { assets } from "../../../../src/capabilities/pages/assets/assets.ts";

/** A colour as people call it. */
export type ColourName = "red" | "amber" | "green" | "teal" | "blue" | "grey";

/** The name of a colour: `#b3261e`, `#fff`, or as a browser computes it, `rgb(179, 38, 30)`. @throws Error for one that has none here */
export function nameOfColour(colour: string): ColourName {
  const [red, green, blue] = channelsOf(colour);
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  if (most - least <= 0.16 * 255) {
    // Backgrounds are pale or dark: they are grey only where they hardly lean to any side.
    if (most - least <= 12 || isCool(red, green, blue)) return "grey";
  }
  const hue = hueOf(red, green, blue);
  const named = ranges.find(([, from, to]) => (from <= to ? hue >= from && hue <= to : hue >= from || hue <= to));
  if (named === undefined) throw new Error(`${colour} has the hue ${hue}, which has no name here`);
  return named[0];
}

const ranges: readonly (readonly [ColourName, from: number, to: number])[] = [
  ["red", 340, 15],
  ["amber", 25, 50],
  ["green", 115, 155],
  ["teal", 165, 185],
  ["blue", 205, 250],
];

/** The greys of these pages lean to blue. */
function isCool(red: number, green: number, blue: number): boolean {
  return blue >= green && green >= red;
}

function hueOf(red: number, green: number, blue: number): number {
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const span = most - least;
  const sector = most === red ? ((green - blue) / span) % 6 : most === green ? (blue - red) / span + 2 : (red - green) / span + 4;
  return (sector * 60 + 360) % 360;
}

function channelsOf(colour: string): [number, number, number] {
  const long = /^#[0-9a-f]{3}$/i.test(colour) ? colour.replaceAll(/[0-9a-f]/gi, "$&$&") : colour;
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(long);
  const numbers =
    hex?.slice(1).map((pair) => Number.parseInt(pair, 16)) ?? /^rgba?\((\d+), (\d+), (\d+)/.exec(colour)?.slice(1).map(Number);
  if (numbers === undefined) throw new Error(`${colour} is no colour`);
  return numbers as [number, number, number];
}

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
