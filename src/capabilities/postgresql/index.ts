import type { Capability } from "../../core/cli/capability.ts";
import { addressWithPassword, completeAddress, readAddress } from "./address.ts";
import { postgresDatabase } from "./postgres-database.ts";

export const postgresql: Capability = {
  name: "postgresql",
  openDatabase: {
    complete: completeAddress,
    holdsPassword: (text) => readAddress(text).password !== undefined,
    withPassword: addressWithPassword,
    at: postgresDatabase,
  },
};
