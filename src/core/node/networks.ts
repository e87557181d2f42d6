export type NetworkPreset = {
  readonly url: string;
  /** The chain that must answer; null where it changes with every reset. */
  readonly chainId: number | null;
  /** Requests a second for a client without a key. */
  readonly rate: number;
  readonly concurrency: number;
  /** The same for a client with an API key of this operator; null where the operator documents none. */
  readonly withKey: { readonly rate: number; readonly concurrency: number } | null;
  /** Versions between the newest one and the one that is read, so that every node behind the address has it. */
  readonly lag: number;
  readonly reason: string;
};

const aptos = {
  // 40,000 compute units in 300 s for one IP address, 250 for a simple read: 160 reads, shared with everything else that runs there.
  rate: 0.4,
  concurrency: 2,
  // 250,000 units in 300 s for one of an account's applications, 1,000 simple reads, as the operator's page on API access says. Limits
  // have changed since and depend on the account's plan: a 429 slows everything down, and --rate says otherwise.
  withKey: { rate: 2.5, concurrency: 4 },
  // About 160 versions a second, and nodes a few seconds apart.
  lag: 4000,
  reason: "the gateway allows about 160 simple reads in 5 minutes without a key; nodes behind it are seconds apart",
} as const;

const movement = {
  rate: 2,
  concurrency: 2,
  withKey: null,
  lag: 100,
  reason: "limits are not published, so the pace is low; a few versions a second, so 100 versions are most of a minute",
} as const;

/** The public networks by name. Figures from public documentation and issues, node-contract section 11; all may change. */
export const networks = {
  "aptos-mainnet": { url: "https://api.mainnet.aptoslabs.com/v1", chainId: 1, ...aptos },
  "aptos-testnet": { url: "https://api.testnet.aptoslabs.com/v1", chainId: 2, ...aptos },
  "aptos-devnet": { url: "https://api.devnet.aptoslabs.com/v1", chainId: null, ...aptos },
  "movement-mainnet": { url: "https://mainnet.movementnetwork.xyz/v1", chainId: 126, ...movement },
  "movement-testnet": { url: "https://testnet.movementnetwork.xyz/v1", chainId: 250, ...movement },
} as const satisfies Record<string, NetworkPreset>;

export type NetworkName = keyof typeof networks;

/** For a node of which nothing is known, which belongs to another operator. */
export const unknownNode = { rate: 5, concurrency: 4, lag: 0 } as const;
