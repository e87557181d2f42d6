import { SimLedger, writeModule } from "../../../../sim/index.ts";

/** Texts that would run a script, close a tag or an attribute, turn the direction of writing, or fill the screen. */
const hostileTexts: readonly string[] = [
  `<script>globalThis.owned = true</script>`,
  `"><img src=x onerror="globalThis.owned = true">`,
  `' onmouseover='globalThis.owned = true`,
  `</pre></textarea></title><svg onload=globalThis.owned=true>`,
  `javascript:globalThis.owned=true`,
  `\u202egnirts\u202c \u2066x\u2069 \u200b\u00ad\u0007\u001b[31m`,
  `{{7*7}} \${7*7} <!-- --> ]]> &lt; &amp;amp;`,
  "x".repeat(5000),
  "\u0645\u0631\u062d\u0628\u0627",
];

export const hostileAccount = "0xbad";

/** A ledger with one account whose modules carry these texts, and a second night that changes some of them. */
export function hostileLedger(): { readonly ledger: SimLedger; readonly passDay: () => void } {
  const ledger = new SimLedger({ chainId: 9 });
  const module = (name: string, variant: string) =>
    writeModule({
      address: hostileAccount,
      name,
      structs: [
        {
          name: "S".repeat(250),
          abilities: ["key"],
          fields: [[`f${variant}`, "u64"]],
          attributes: [
            { kind: 3, args: [hostileTexts[1] as string] },
            { kind: 99, args: [...hostileTexts] },
          ],
        },
      ],
      functions: [{ name: `run_${"r".repeat(200)}`, visibility: "public", entry: true, params: ["&signer"], returns: [] }],
      errors: hostileTexts.map((text, i) => ({ code: BigInt(i + 1), name: `${text}${i}`, description: `${text} ${variant}` })),
    });
  const names = ["plain", "n".repeat(255)];
  ledger.genesis((writer) => {
    writer.account(hostileAccount, { sequenceNumber: 1n });
    for (const name of names) writer.publish(hostileAccount, name, module(name, "one"));
    writer.publish(hostileAccount, "opaque", Buffer.from("<script>globalThis.owned = true</script>"));
  });
  ledger.advance(500n);
  return {
    ledger,
    passDay: () => {
      ledger.transact((writer) => {
        for (const name of names) writer.publish(hostileAccount, name, module(name, "two"));
      });
      ledger.advance(500n);
    },
  };
}
