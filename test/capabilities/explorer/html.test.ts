import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { html } from "../../../src/capabilities/changes/pages/html.ts";
import { linksFrom } from "../../../src/capabilities/changes/pages/page-links.ts";
import { parseAddress } from "../../../src/core/move/address.ts";
import { law } from "../../support/property/law.ts";

describe("html", () => {
  law("a text of any kind is no markup, and is read as what was put in", 100, [fc.string({ unit: "binary", maxLength: 40 })], (text) => {
    const { text: made } = html`<p title="${text}">${text}</p>`;
    const inside = made.slice('<p title="'.length, -"</p>".length);
    expect(inside.replace('">', "")).not.toMatch(/[<>"'\p{Cc}\p{Cf}\u2028\u2029]/u);
    const [title, body] = inside.split('">') as [string, string];
    expect(title).toBe(body);
  });

  test("what a screen could be fooled with is shown as its code", () => {
    expect(html`<p>${"a\u202eb\u0007<script>"}</p>`.text).toBe("<p>a\\u{202e}b\\u{7}&lt;script&gt;</p>");
  });

  test("a text in a tag has to stand in quotes, and HTML may not", () => {
    const text = "x onclick=alert(1)";
    expect(() => html`<p class=${text}></p>`).toThrow(TypeError);
    expect(() => html`<p ${text}></p>`).toThrow(TypeError);
    expect(() => html`<p class="${html`<b>`}"></p>`).toThrow(TypeError);
  });
});

describe("links", () => {
  const address = parseAddress("0x1") as NonNullable<ReturnType<typeof parseAddress>>;

  test.each([
    ["/", "./module/0x1/coin"],
    ["/changes", "./module/0x1/coin"],
    ["/account/0x1", "../module/0x1/coin"],
    ["/module/0x1/coin", "../../module/0x1/coin"],
    ["/module/0x1/coin/abi.json", "../../../module/0x1/coin"],
  ])("from %s they lead to the same page", (from, href) => {
    expect(linksFrom(from).module({ address, name: "coin" })).toBe(href);
    const base = `http://host/archive${from}`;
    expect(new URL(linksFrom(from).module({ address, name: "coin" }), base).pathname).toBe("/archive/module/0x1/coin");
  });

  law("whatever a module is called, its link stays among the pages", 100, [fc.string({ unit: "grapheme", maxLength: 30 })], (name) => {
    const url = new URL(linksFrom("/module/0x1/coin").module({ address, name }), "http://host/archive/module/0x1/coin");
    expect(url.origin).toBe("http://host");
    expect(url.pathname.startsWith("/archive/module/0x1/")).toBe(true);
  });
});
