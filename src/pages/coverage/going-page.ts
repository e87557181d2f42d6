import { horizonSentence, readGoing } from "../../crawl/horizon/going.ts";
import { html } from "../html/html.ts";
import { accountLink, capital, count, nothing, table } from "../html/texts.ts";
import type { PageHandler } from "../page.ts";

/** `/going`: what the node prunes within a day, and what of it is not held. */
export const goingPage: PageHandler = async ({ archive: { engine }, links, now }) => {
  const going = await readGoing(engine, now);
  const title = "What goes tomorrow";
  const head = html`<p class="crumbs"><a href="${links.coverage()}">Coverage</a></p><h1>${title}</h1>`;
  if (going === undefined)
    return {
      title,
      section: "coverage",
      isCached: false,
      body: html`${head}${nothing("Nothing, as far as it is known: no node was asked lately, or its horizon does not rise.")}`,
    };
  const { accounts, versions, changes, from, below, node } = going;
  const rows = accounts.map(({ address, lastHeld }) => [
    accountLink(links, address),
    lastHeld === null ? "never read" : html`<span class="num">${count(lastHeld)}</span>`,
  ]);
  const list = versions.map((version) => html`<li><a class="num" href="${links.gaps({ night: version })}">${count(version)}</a></li>`);
  const traced =
    changes === 0
      ? "Every change there is known to the version, or can still be traced later."
      : `${count(changes)} of the changes that are held lie there and are not traced to their version: movedex trace does it while it can.`;
  const body = html`${head}<p class="lead">${capital(horizonSentence(going))}.</p>
<p class="dim small">Versions from <span class="num">${count(from)}</span> to <span class="num">${count(below - 1n)}</span> at ${node}.</p>
<section><h2>Accounts not held there <span class="dim">${count(accounts.length)}</span></h2>
${rows.length === 0 ? nothing("None: all that is to be read is held.") : table("Accounts", ["Account", "Last held at"], rows)}</section>
<section><h2>Snapshots not read to their end <span class="dim">${count(versions.length)}</span></h2>
${list.length === 0 ? nothing("None.") : html`<ul>${list}</ul>`}</section>
<section><h2>Changes</h2><p>${traced}</p></section>`;
  return { title, section: "coverage", isCached: false, body };
};
