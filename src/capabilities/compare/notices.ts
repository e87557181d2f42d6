import { plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { type CausedFinding, causeOf, crowdsIn, itemCount } from "../changes/diff/crowds.ts";
import { crowdSentence } from "../changes/diff/sentences.ts";
import { rawText } from "../changes/documents/document.ts";

/** Something to be told on a build server: about a module or a part of it, or about everything. */
export type Notice = {
  readonly level: NoticeLevel;
  readonly rule: string;
  /** `0x1::coin`; null if it is about no module. */
  readonly module: string | null;
  /** `function withdraw`; empty for the module itself. */
  readonly item: string;
  readonly text: string;
  /** What tells its cause: those of one cause are annotated together where they are many. */
  readonly caused?: CausedFinding;
};
export type NoticeLevel = "error" | "warning" | "notice";

export function generalNotice(level: NoticeLevel, rule: string, text: string): Notice {
  return { level, rule, module: null, item: "", text };
}

/** Where something stands in the source files of a build. */
export type SourcePlace = { readonly file: string; readonly line: number };
export type FindPlace = (module: string, item: string) => SourcePlace | undefined;

const NOWHERE: FindPlace = () => undefined;

/** Annotations of a level that GitHub shows for a step; and lines of one. */
const [ANNOTATIONS_MAX, LINES_MAX] = [10, 20];

/**
 * Notices as workflow commands of GitHub Actions: one for what one cause does to many items, else for each module and level; ten of a
 * level at most, since a step shows no more. General ones come last. `%` and line ends are escaped, in properties `:` and `,` too.
 */
export function githubNotices(notices: readonly Notice[], placeOf: FindPlace = NOWHERE): string {
  const lines: string[] = [];
  for (const level of ["error", "warning", "notice"] as const) {
    const about = notices.filter((notice) => notice.level === level && notice.module !== null);
    const { crowds, others } = crowdsIn(about, ({ caused, ...notice }) => (caused ? causeOf(caused) : JSON.stringify(notice)));
    const groups = [
      ...crowds.map((of) => {
        const caused = of.flatMap(({ caused = [] }) => caused);
        const title = `${of[0]?.rule}: ${rawText(crowdSentence(itemCount(caused), caused[0] as CausedFinding))}`;
        return { of, title, texts: of.map(({ module, item, text }) => `${module}${item === "" ? "" : ` ${item}`}: ${text}`) };
      }),
      ...Array.from(
        Map.groupBy(others, ({ module }) => module),
        ([module, of]) => ({
          of,
          title: `${module}: ${[...new Set(of.map(({ rule }) => rule))].join(", ")}`,
          texts: of.map(({ rule, item, text }) => `${rule}${item === "" ? "" : ` ${item}`}: ${text}`),
        }),
      ),
    ];
    const shown = groups.length > ANNOTATIONS_MAX ? groups.slice(0, ANNOTATIONS_MAX - 1) : groups;
    for (const { of, title, texts } of shown) {
      const more = texts.length > LINES_MAX ? [`and ${texts.length - LINES_MAX} more`] : [];
      lines.push(annotation(level, title, [...texts.slice(0, LINES_MAX), ...more], placeOf(of[0]?.module ?? "", of[0]?.item ?? "")));
    }
    const rest = groups.slice(shown.length).flatMap(({ of }) => of);
    const title = `${plural(rest.length, "more finding")} of ${plural(new Set(rest.map(({ module }) => module)).size, "module")}`;
    if (rest.length > 0) lines.push(annotation(level, title, ["--format json lists them"], undefined));
  }
  const general = notices.filter(({ module }) => module === null);
  return [...lines, ...general.map(({ level, rule, text }) => annotation(level, rule, [text], undefined))].join("");
}

function annotation(level: NoticeLevel, title: string, lines: readonly string[], place: SourcePlace | undefined): string {
  const property = (text: string): string => escapeData(printable(text, 300)).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const where = place === undefined ? "" : `file=${property(place.file)},line=${place.line},`;
  return `::${level} ${where}title=${property(title)}::${lines.map((line) => escapeData(printable(line, 2000))).join("%0A")}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

const SARIF_LEVELS: Readonly<Record<NoticeLevel, string>> = { error: "error", warning: "warning", notice: "note" };

/** Notices as a SARIF 2.1.0 log for GitHub code scanning and editors: one result each, with its source location if known. */
export function sarifLog(notices: readonly Notice[], placeOf: FindPlace = NOWHERE): string {
  const rules = [...new Set(notices.map(({ rule }) => rule))];
  return jsonLine({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "movedex", rules: rules.map((id) => ({ id })) } },
        results: notices.map(({ level, rule, module, item, text }) => {
          const place = module === null ? undefined : placeOf(module, item);
          const physical = place && { artifactLocation: { uri: place.file }, region: { startLine: place.line } };
          const name = [module, item.split(" ")[1]].filter(Boolean).join("::");
          return {
            ruleId: rule,
            ruleIndex: rules.indexOf(rule),
            level: SARIF_LEVELS[level],
            message: { text: name === "" ? text : `${name}: ${text}` },
            locations: [
              { ...(physical && { physicalLocation: physical }), ...(name !== "" && { logicalLocations: [{ fullyQualifiedName: name }] }) },
            ],
          };
        }),
      },
    ],
  });
}
