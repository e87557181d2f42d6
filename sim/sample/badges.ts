import type { ModuleSpec } from "../module-writer/module-writer.ts";
import { entry, event, grouped, hidden, hiddenView, open, reasons, struct, view } from "./specs.ts";

/** An address with a leading zero, which a node does not print. */
export const badgesAddress = "0x0b1f6e92ad7741c3508fe64d19ba7230c55e8da3f94167b20c8d3ae1576f09b4";

const printed = badgesAddress.replace("0x0", "0x");

/** An application that hands out badges: objects in a resource group, an enum, functions as values. */
export function badgeModules(options: { withSeasonal: boolean }): readonly ModuleSpec[] {
  const seasonal = { name: "Seasonal", fields: [["season", "u16"]] } as const;
  return [
    {
      address: badgesAddress,
      name: "badge",
      version: 8,
      structs: [
        grouped("Badge", "0x1::object::ObjectGroup", [
          ["title", "0x1::string::String"],
          ["rank", `${printed}::badge::Rank`],
          ["holder", "0x1::option::Option<address>"],
        ]),
        struct("Rank", "copy drop store", [], {
          variants: [{ name: "Common" }, { name: "Rare", fields: [["number", "u32"]] }, ...(options.withSeasonal ? [seasonal] : [])],
        }),
        event("Awarded", [
          ["badge", "address"],
          ["holder", "address"],
        ]),
      ],
      functions: [
        entry("award", ["&signer", "address", "0x1::string::String"]),
        view("rank_of", [`0x1::object::Object<${printed}::badge::Badge>`], [`${printed}::badge::Rank`], { acquires: ["Badge"] }),
        open("count_where", ["vector<address>", "|address|bool"], ["u64"]),
        hidden("draw", ["&signer"], [], { entry: true, attributes: [{ kind: 5, args: ["20000"] }] }),
        hiddenView("next_number", [], ["u32"]),
      ],
      errors: reasons(["ENOT_JUDGE", "Only a judge may award a badge"], ["ESOLD_OUT", "No badge of this rank is left"]),
      dependencies: ["0x1::event", "0x1::signer"],
    },
  ];
}
