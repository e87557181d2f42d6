import type { Io, ProcessIo } from "../io.ts";

/** Carriage return, then erase the line. */
const CLEAR = "\r\u001b[2K";

/**
 * Adds a line of progress at the end of what a terminal shows. It is erased before anything else is written and drawn again
 * afterwards, so that a message never continues it. Where stderr is no terminal, nothing is drawn.
 */
export function withStatusLine(io: ProcessIo): Io {
  let line = "";
  let isDrawn = false;
  /** Whether the cursor stands behind a line that is not ended, where nothing can be drawn. */
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
      // At most as much as fits: a line that wraps cannot be erased.
      line = text?.slice(0, Math.max(20, io.columns - 1)) ?? "";
      if (line === "") erase();
      else draw();
    },
  };
}
