/** Less room than this for the text beside its lead breaks lines after every other word, which reads worse than long lines. */
const NARROWEST = 20;

/**
 * A text behind a lead, such as a name and its meaning, in lines of at most `width` characters between words. Further lines are
 * indented by `indent` characters, by default as far as the lead is long. With too little room the text stays in one line.
 */
export function hangingText(lead: string, text: string, width: number, indent = lead.length): string {
  if (width - indent < NARROWEST) return lead + text;
  const lines: string[] = [];
  let line = lead;
  let hasWord = false;
  for (const word of text.split(" ")) {
    if (hasWord && line.length + word.length > width) {
      lines.push(line.trimEnd());
      line = " ".repeat(indent);
    }
    line += `${word} `;
    hasWord = true;
  }
  return [...lines, line.trimEnd()].join("\n");
}
