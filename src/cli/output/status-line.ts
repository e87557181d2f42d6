import type { Io, ProcessIo } from "../io.ts";

/** Carriage return, then erase the line. */
const CLEAR = "\r\u001b[2K";

/**
 * Adds a line of progress below what a terminal shows. It is erased before anything else is written and drawn again afterwards.
 * Where stderr is no terminal, nothing is drawn.
 */
export function withStatusLine(io: ProcessIo): Io {
  let line = "";
  let isDrawn = false;
  /** Whether the last text ended without a line end: nothing can be drawn behind it. */
  let isMidLine = false;
  const erase = (): void => {
    if (isDrawn) io.stderr(CLEAR);
    isDrawn = false;
  };
  const draw = (): void => {
    if (line === "" || isMidLine) return;
    io.stderr(`${CLEAR}${line}`);
    isDrawn = true;
  };
  return {
    ...io,
    stderr: (text) => {
      erase();
      io.stderr(text);
      isMidLine = !text.endsWith("\n");
      draw();
    },
    stdout: async (text) => {
      if (line === "" || !io.stdoutIsTerminal) return await io.stdout(text);
      erase();
      await io.stdout(text);
      isMidLine = !text.endsWith("\n");
      draw();
    },
    statusLine: (text) => {
      if (!io.stderrIsTerminal) return;
      // A line that wraps cannot be erased, so it is cut.
      line = text?.slice(0, Math.max(20, io.columns - 1)) ?? "";
      if (line === "") erase();
      else draw();
    },
  };
}
