import type { Capability } from "../../core/cli/capability.ts";

export const explorer: Capability = {
  name: "explorer",
  needs: ["gaps", "horizon", "pages", "serve", "search", "effects", "changes", "watch", "explain", "cookbook", "uses"],
  commands: {
    "Share the archive:": {
      open: async () => (await import("./command.ts")).openCommand,
    },
  },
  pages: async () => (await import("./pages-plugin.ts")).pagesPlugin,
};
