/**
 * One of the four ages of node that are in use: A Movement before its migration, B Movement's L1, C Aptos of
 * September 2025, D Aptos of 2026. What differs between them is data here, so that nothing else asks for a letter.
 */
export type Generation = "A" | "B" | "C" | "D";

/** What a node of one generation does and knows. */
export type Traits = {
  readonly maxBytecodeVersion: number;
  readonly compresses: boolean;
  readonly hasInfo: boolean;
  readonly peerIdsInInfo: boolean;
  readonly chainInInfo: boolean;
  readonly encryptionKeyInIndex: boolean;
  /** An account without anything: 404 from A; answered with defaults or an empty list by the others. */
  readonly checksExistence: boolean;
  readonly tradingNativeKeys: boolean;
  readonly dollarInNames: boolean;
  readonly enums: "unknown" | "as empty structs" | "with variants";
  readonly isEvent: boolean;
  readonly privateViews: boolean;
};

const b: Traits = {
  maxBytecodeVersion: 8,
  compresses: true,
  hasInfo: true,
  peerIdsInInfo: false,
  chainInInfo: false,
  encryptionKeyInIndex: false,
  checksExistence: false,
  tradingNativeKeys: false,
  dollarInNames: false,
  enums: "as empty structs",
  isEvent: true,
  privateViews: false,
};

/** The traits of each generation. */
export const traitsOf: Readonly<Record<Generation, Traits>> = {
  A: {
    ...b,
    maxBytecodeVersion: 7,
    compresses: false,
    hasInfo: false,
    checksExistence: true,
    enums: "unknown",
    isEvent: false,
  },
  B: b,
  C: { ...b, peerIdsInInfo: true },
  D: {
    ...b,
    maxBytecodeVersion: 10,
    peerIdsInInfo: true,
    chainInInfo: true,
    encryptionKeyInIndex: true,
    tradingNativeKeys: true,
    dollarInNames: true,
    enums: "with variants",
    privateViews: true,
  },
};
