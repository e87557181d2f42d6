import { packageVersion } from "../../core/base/files.ts";
import { networks } from "../../core/node/networks.ts";
import { type Html, html, type Part } from "../changes/pages/html.ts";
import type { Links } from "../changes/pages/page-links.ts";
import { assets } from "./assets/assets.ts";
import { capital } from "./html/texts.ts";
import type { Page, Section } from "./page.ts";

/** What all pages show around their own. */
export type Frame = {
  readonly links: Links;
  readonly hasSql: boolean;
  readonly chainId: number | null;
};

const version = packageVersion();

/** A chain by the name of its public network, `Aptos mainnet`, or else by its number: `Chain 4`. */
export function chainName(chainId: number): string {
  const preset = Object.entries(networks).find(([, network]) => network.chainId === chainId);
  return preset === undefined ? `Chain ${chainId}` : capital(preset[0].replace("-", " "));
}

/** The whole document of a page. */
export function layout({ title, body, isWide, section, search, feed }: Page, { links, hasSql, chainId }: Frame): Html {
  const entry = (name: Section, href: string, words: string): Part =>
    section === name ? html`<a href="${href}" aria-current="page">${words}</a>` : html`<a href="${href}">${words}</a>`;
  const entries = [
    entry("home", links.home, "Overview"),
    entry("changes", links.changes(), "Changes"),
    entry("coverage", links.coverage(), "Coverage"),
    hasSql && entry("sql", links.sql(), "SQL"),
    entry("api", links.api("spec"), "API"),
  ];
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title === "" ? "movedex" : `${title} · movedex`}</title>
<link rel="icon" href="${links.asset("icon.svg")}" type="image/svg+xml"><link rel="stylesheet" href="${links.asset(assets.style.name)}">
${feed !== undefined && html`<link rel="alternate" type="application/atom+xml" href="${feed}">`}
<script src="${links.asset(assets.script.name)}" defer></script></head>
<body${isWide && html` class="wide"`}><a class="skip" href="#content">Skip to the content</a>
<header class="top"><div class="bar">
<a class="brand" href="${links.home}">
<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 3h12v2.4H2zM2 6.8h9v2.4H2zM2 10.6h12V13H2z"/></svg>movedex</a>
${chainId !== null && html`<span class="chain">${chainName(chainId)}</span>`}
<form class="find" role="search" action="${links.search()}">
<input type="search" name="q" value="${search ?? ""}" placeholder="Address, module, function, error …" aria-label="Search"
autocomplete="off" spellcheck="false" maxlength="2000"><button name="go" value="1" hidden></button></form>
<nav aria-label="Main">${entries}</nav></div></header>
<main id="content" tabindex="-1">${body}</main>
<footer><p>movedex ${version}. What was read is shown as it was observed; what was not read is said to be unknown.</p></footer>
</body></html>
`;
}
