import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Io, type ProcessIo, withStatusLine } from "../../../src/core/cli/io.ts";
import { ManualClock } from "../../support/index.ts";
import { holdsFor } from "../../support/property/law.ts";

/** What a terminal shows: erases a line, and nothing else that a real one would. */
class Screen {
  readonly lines: string[] = [""];

  write(text: string): void {
    for (const [i, line] of text.split("\n").entries()) {
      if (i > 0) this.lines.push("");
      const [begin = "", ...erased] = line.split("\r\u001b[2K");
      this.lines[this.lines.length - 1] = erased.at(-1) ?? `${this.lines.at(-1)}${begin}`;
    }
  }
}

function terminal(isTerminal = true): { readonly io: Io; readonly screen: Screen } {
  const screen = new Screen();
  const process: ProcessIo = {
    stdin: async function* () {},
    stdout: async (text) => screen.write(text),
    isReaderGone: () => false,
    stderr: (text) => screen.write(text),
    env: {},
    host: "here",
    clock: new ManualClock(),
    stderrIsTerminal: isTerminal,
    isOnePlace: isTerminal,
    stdoutIsTerminal: isTerminal,
    columns: 40,
    onStopSignal: () => () => {},
  };
  return { io: withStatusLine(process), screen };
}

describe("withStatusLine", () => {
  test("a message takes the place of the line, which follows it", async () => {
    const { io, screen } = terminal();
    io.statusLine("1/3 accounts");
    io.stderr("All requests wait 5 s\n");
    expect(screen.lines).toEqual(["All requests wait 5 s", "1/3 accounts"]);
    await io.stdout("a row\n");
    io.statusLine("2/3 accounts");
    io.statusLine(undefined);
    expect(screen.lines).toEqual(["All requests wait 5 s", "a row", ""]);
  });

  test("nothing is drawn behind an unfinished line, nor wider than the terminal, nor where there is no terminal", () => {
    const { io, screen } = terminal();
    io.stderr("unfinished");
    io.statusLine("1/3 accounts");
    io.stderr(" line\n");
    expect(screen.lines).toEqual(["unfinished line", "1/3 accounts"]);
    io.statusLine("x".repeat(100));
    expect(screen.lines.at(-1)).toHaveLength(39);
    const pipe = terminal(false);
    pipe.io.statusLine("1/3 accounts");
    expect(pipe.screen.lines).toEqual([""]);
  });

  test("whatever the order, messages stand whole, in their order, and the line is last", async () => {
    const step = fc.record({ to: fc.constantFrom("stderr", "stdout", "line"), text: fc.stringMatching(/^[a-z]{1,30}$/) });
    await holdsFor(100, [fc.array(step, { maxLength: 30 })], async (steps) => {
      const { io, screen } = terminal();
      let line = "";
      for (const { to, text } of steps) {
        if (to === "line") {
          line = text;
          io.statusLine(line);
        } else if (to === "stderr") io.stderr(`${text}\n`);
        else await io.stdout(`${text}\n`);
      }
      expect(screen.lines).toEqual([...steps.filter(({ to }) => to !== "line").map(({ text }) => text), line]);
    });
  });
});
