import { grouped, plural } from "../../../core/base/plural.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import { changeText } from "../compare/behaviour-words.ts";
import type { CodeDiff, CodeLine, FunctionDiff } from "../compare/code-diff.ts";
import type { Depth } from "../compare/difference.ts";
import type { Rename } from "../compare/finding.ts";
import { isBehaviour, type RuleId, rules } from "../compare/rules/rules.ts";
import { type Severity, severities, worstOf } from "../compare/severity.ts";
import type { Incomparable } from "../compare/sides.ts";
import { callersIn } from "../compare/usage.ts";
import { type Inline, namesOf } from "../documents/document.ts";
import type { Carried } from "./carried.ts";
import { type CausedFinding, type Crowd, crowdsIn, wentAndCame } from "./crowds.ts";
import type { DiffReport, ReportedFinding, Usage } from "./report.ts";

const LIST = new Intl.ListFormat("en", { type: "conjunction" });

export const depthNames: Readonly<Record<Depth, string>> = {
  added: "new",
  removed: "gone",
  interface: "interface changed",
  code: "only code changed",
  encoding: "only the encoding changed",
  metadata: "only metadata changed",
};

/** `3 modules changed, 1 new, 107 the same`. */
export function modulesSentence({ modules, unchanged }: DiffReport): string {
  const count = (...depths: Depth[]): number => modules.filter(({ depth }) => depths.includes(depth)).length;
  const parts = [
    `${plural(count("interface", "code", "encoding", "metadata"), "module")} changed`,
    ...(count("added") > 0 ? [`${count("added")} new`] : []),
    ...(count("removed") > 0 ? [`${count("removed")} gone`] : []),
    `${unchanged} the same`,
  ];
  return parts.join(", ");
}

/** `1 breaking, 2 dangerous; the VM refuses 1`, or `no findings`. */
export function findingsSentence({ counts, refused }: DiffReport): string {
  const parts = severities.filter((severity) => counts[severity] > 0).map((severity) => `${counts[severity]} ${severity}`);
  return parts.length === 0 ? "no findings" : `${parts.join(", ")}${refused === 0 ? "" : `; the VM refuses ${refused}`}`;
}

/** `function a is called b now`. */
export function renameParts({ kind, from, to }: Rename): Inline[] {
  return [`${kind} `, { code: from }, " is called ", { code: to }, " now"];
}

/** `function a is called b now, with the same signature and instructions`. */
export function renameSentence(rename: Rename): Inline[] {
  return [...renameParts(rename), `, with the same ${rename.kind === "function" ? "signature and instructions" : "abilities and fields"}`];
}

/** What the title of a rule calls the item that it is about. */
const NOUN = /^(.*?)\ban? (?:function(?! type)|struct(?: or enum)?|enum|event|module|resource|error)\b(.*)$/;
/** Characters of what a function does. */
const DOES_MAX = 300;

/** As much of a finding as a sentence about it needs. */
type SaidFinding = Omit<Pick<ReportedFinding, "rule" | "item" | "before" | "after" | "worst" | "severity">, "rule" | "item"> & {
  readonly rule: string;
  readonly item: { readonly kind: string; readonly name: string | null };
};

/** What changed, as a clause about the item: `` `withdraw` was removed``, `` `vote` compares in another way: < → <=``. */
export function whatChanged({ rule, item, before, after }: Omit<SaidFinding, "worst" | "severity">): Inline[] {
  const became = rule === "struct-kind-changed" ? /^(?:enum|native struct|struct)/.exec(after ?? "")?.[0] : undefined;
  const title = became === undefined ? titleOf(rule) : `a struct is ${became === "enum" ? "an" : "a"} ${became} now`;
  const [, head = "", tail] = NOUN.exec(title) ?? [];
  const name: Inline[] = item.name === null ? [] : [...(item.kind === "friend" ? ["friend "] : []), { code: item.name }];
  const what = item.name === null ? [title] : tail === undefined ? [...name, ": ", title] : [head, ...name, tail];
  if (!isBehaviour(rule as RuleId) || item.name === null) return what;
  const isSwap = before !== null && after !== null && (rule === "comparison-changed" || rule === "constant-changed");
  const does = isSwap ? `${before} → ${after}` : changeText({ before, after });
  if (does === "") return what;
  const shown = { code: does.length > DOES_MAX ? `${does.slice(0, DOES_MAX)}…` : does };
  return rule === "function-changed" || rule === "abort-codes-changed" ? [...name, ": ", shown] : [...what, ": ", shown];
}

const CONCERNS: Readonly<Record<Severity, string>> = {
  breaking: "breaks",
  dangerous: "may break",
  behaviour: "concerns",
  safe: "is safe for",
  silent: "is nothing to",
};

/** Whom a finding concerns most, and what others of them do with it: `breaks clients and readers; 2 functions of 1 module call it: …`. */
export function whomItConcerns(
  finding: Pick<SaidFinding, "severity" | "worst"> & { readonly users?: ReportedFinding["users"] | undefined },
  it = "it",
): Inline[] {
  const { severity, worst, users = [] } = finding;
  const concerned = Object.entries(severity).flatMap(([audience, level]) => (level === worst ? [audience] : []));
  const whom = `${CONCERNS[worst]} ${concerned.length === 0 ? "everybody" : LIST.format(concerned)}`;
  return [whom, ...(users.length === 0 ? [] : referring(users, it).flatMap((said): Inline[] => ["; ", ...said]))];
}

/** The same of several findings: for all whom any of the worst concerns, and how many these are. */
export function whomTheyConcern(findings: readonly Pick<SaidFinding, "severity" | "worst">[], users?: ReportedFinding["users"]): Inline[] {
  const worst = worstOf(findings.map((one) => one.worst)) ?? "silent";
  const of = findings.filter((one) => one.worst === worst);
  const levels = of.flatMap(({ severity }) => Object.entries(severity)).filter(([, level]) => level === worst);
  const share = of.length < findings.length ? `${grouped(of.length)} of them: ` : "";
  return [share, ...whomItConcerns({ worst, severity: Object.fromEntries(levels), users }, "them")];
}

/** For whom a finding is how bad, and what the VM would say: `breaking for callers, safe for clients; the VM refuses such an upgrade`. */
export function audienceText({ rule, severity, upgrade, worst }: ReportedFinding): string {
  const entries = Object.entries(severity) as [string, Severity][];
  const verdict = upgrade === "refused" ? "; the VM refuses such an upgrade" : "";
  // Not all that instructions do is compared.
  if (rule === "code-changed") return "no other difference in what they do was found";
  if (worst === "silent") return `nothing that others can see changed${verdict}`;
  const groups = severities
    .map((level) => [level, entries.filter(([, found]) => found === level).map(([audience]) => audience)] as const)
    .filter(([, names]) => names.length > 0)
    .map(([level, names]) => `${level} for ${LIST.format(names)}`);
  return `${groups.join(", ")}${verdict}`;
}

/** Users that are named; others are counted. */
const NAMED = 5;

/** What else does something else by it; and who refers to the item, where that was looked for. */
export function userSentences({ users, functions = [] }: ReportedFinding): Inline[][] {
  return [...reaching(functions), ...referring(users)];
}

function reaching(functions: readonly string[], it = "it"): Inline[][] {
  return functions.length === 0 ? [] : [[`and ${plural(functions.length, "more function")} by ${it}: `, ...namesOf(functions, NAMED)]];
}

/** Of a crowd: for whom it is how bad, with the first items; what it reaches; who refers to them; and how they were compiled. */
export function crowdSentences({ findings, names, functions, users, recompiled }: Crowd): Inline[][] {
  const levels = [...Map.groupBy(findings, audienceText)].map(([said, of]): Inline[] => [
    `${of.length < findings.length ? `${grouped(of.length)} of them: ` : ""}${said}: `,
    ...namesOf(
      of.map((finding) => names.get(finding) as string),
      NAMED,
    ),
  ]);
  const compiled =
    recompiled === undefined ? [] : [[`these modules were compiled to bytecode version ${recompiled[1]}, before to ${recompiled[0]}`]];
  return [...levels, ...reaching(functions, "them"), ...referring(users, "them"), ...compiled];
}

/** What one cause did to so many items: `60 functions of 7 modules: a function's visibility was reduced (public → public(friend))`. */
export function crowdSentence(size: string, first: CausedFinding): Inline[] {
  const [gone, came] = wentAndCame(first);
  const code = (text: string): Inline => ({ code: text.length > DOES_MAX ? `${text.slice(0, DOES_MAX)}…` : text });
  const change =
    gone !== "" && came !== ""
      ? [" (", code(gone), " → ", code(came), ")"]
      : [` (${came === "" ? "gone" : "new"}: `, code(gone || came), ")"];
  return [`${size}: ${titleOf(first.rule)}`, ...(gone === came ? [] : change)];
}

/** A stored finding may be by a rule that is gone. */
function titleOf(rule: string): string {
  return Object.hasOwn(rules, rule) ? rules[rule as RuleId].title : rule;
}

function referring(users: ReportedFinding["users"], it = "it"): Inline[][] {
  if (users === undefined) return [];
  if (users.length === 0) return [[`no module of another account refers to ${it}`]];
  const functions = callersIn(users);
  const modules = `${plural(users.length, "module")}${users.some(({ isLost }) => isLost) ? "" : " of other accounts"}`;
  if (functions.length === 0)
    return [[`${modules} ${users.length === 1 ? "refers" : "refer"} to ${it}: `, ...namesOf(users.map(formatModuleId), NAMED)]];
  const calls = functions.length === 1 ? "calls" : "call";
  return [[`${plural(functions.length, "function")} of ${modules} ${calls} ${it}: `, ...namesOf(functions, NAMED)]];
}

export function usageSentence({ version, accounts, gaps }: Usage): string {
  const missing = gaps === 0 ? "" : ` and not in ${gaps} that gave no answer`;
  return `users were looked for in ${plural(accounts, "account")} held at ledger version ${version}${missing}; others are not known`;
}

/** Functions that are said to do something else because of others; further ones are counted. */
const CARRIED_NAMED = 30;

/** What changes of other modules make of functions whose instructions are the same: a line for many by one cause, else for each. */
export function carriedSentences(carried: Carried | undefined): Inline[][] {
  if (carried === undefined) return [];
  const { crowds, others } = crowdsIn(carried.changes, ({ chain, what }) => `${chain.at(-1)} ${what}`);
  const more = others.length - CARRIED_NAMED;
  const lines = [
    ...crowds.map((changes): Inline[] => [
      { code: changes[0].chain.at(-1) ?? "" },
      ": ",
      { code: changes[0].what },
      `; ${plural(changes.length, "function")} by it: `,
      ...namesOf(
        changes.map(({ chain: [name = ""] }) => name),
        NAMED,
      ),
    ]),
    ...others.slice(0, CARRIED_NAMED).map(({ chain, what }): Inline[] => [...namesOf(chain, chain.length, " → "), ": ", { code: what }]),
  ];
  const ending =
    more > 0
      ? `and ${plural(more, "more function")}${carried.isCut ? ", or more" : ""}`
      : "and perhaps more: not all callers were followed";
  return more > 0 || carried.isCut ? [...lines, [ending]] : lines;
}

/** `0x1::coin: why`. */
export function incomparableSentence({ subject, reason }: Incomparable): string {
  return subject === null ? reason : `${subject}: ${reason}`;
}

/** A finding's item with its kind, empty for the module itself: `function transfer`. */
export function itemText({ item }: Pick<ReportedFinding, "item">): string {
  return item.name === null ? "" : `${item.kind} ${item.name}`;
}

/** `fun swap: 2 lines became 3`, `fun check: new`. */
export function functionSentence({ function: name, change, hunks }: FunctionDiff): string {
  const count = (wanted: CodeLine["change"]): number => hunks.flat().filter((line) => line.change === wanted).length;
  if (change === "added") return `fun ${name}: new`;
  if (change === "removed") return `fun ${name}: gone`;
  return `fun ${name}: ${plural(count("removed"), "line")} became ${count("added")}`;
}

/** A line of code with its sign and its index: `-  12: LdU64 5`. */
export function codeText({ change, index, text }: CodeLine): string {
  const sign = { same: " ", removed: "-", added: "+" }[change];
  return `${sign} ${index === null ? "      " : `${String(index).padStart(4)}: `}${text}`;
}

/** Why instructions that differ are not shown; undefined if all are. */
export function missingCodeSentence(code: CodeDiff): string | undefined {
  if ("unreadable" in code) return `the instructions could not be read: ${code.unreadable}`;
  if (code.leftOut === 0) return undefined;
  return `${plural(code.leftOut, "more function")} changed, too long to be shown here: compare the module alone, or with show --code`;
}
