import type { Io } from "../io.ts";

/** Characters of a piece, about. */
const PIECE = 65_536;

/** Writes text to stdout in pieces, and waits for a slow pipe: no more than a piece is held. */
export function printPieces(io: Pick<Io, "stdout">) {
  let piece = "";
  const hand = async (): Promise<void> => {
    const whole = piece;
    piece = "";
    await io.stdout(whole);
  };
  return {
    /** A promise only where there is something to wait for. */
    add: (text: string): Promise<void> | undefined => {
      piece += text;
      return piece.length < PIECE ? undefined : hand();
    },
    end: hand,
  };
}
