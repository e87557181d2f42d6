import type { FunctionAbi } from "../../../core/abi/model.ts";
import { formatItemId, type ModuleId } from "../../../core/move/module-id.ts";
import { formatMoveType } from "../../../core/move/types/format-type.ts";
import type { MoveType } from "../../../core/move/types/make-type.ts";
import { networks } from "../../../core/node/networks.ts";

/** A call in the words of a tool, to be filled in where `<…>` stands. */
export type CallText = { readonly tool: string; readonly text: string };

const SIGNER = /^&?(?:mut )?signer$/;

/**
 * How a function is called: with the TypeScript SDK and the command line tool where clients can, with curl too where it is a view, in Move
 * where other modules can.
 * Signers are not given. Source: `@aptos-labs/ts-sdk` 7, `aptos move run --help`, the node's own specification.
 */
export function callTexts(module: ModuleId, fn: FunctionAbi, chainId: number | null): CallText[] {
  const types = fn.typeParams.map((_, i) => `<T${i}>`);
  const given = fn.params.map(formatMoveType).filter((type) => !SIGNER.test(type));
  const call: Call = { path: formatItemId({ module, name: fn.name }), isView: fn.isView, types, given, chainId };
  return [
    ...(fn.isEntry || fn.isView ? [sdkText(call), toolText(call)] : []),
    ...(fn.isView ? [curlText(call)] : []),
    ...(fn.visibility === "private" ? [] : [moveText(module, fn, types)]),
  ];
}

/** A call from outside the chain. Types and arguments are the texts that stand for them. */
type Call = {
  readonly path: string;
  readonly isView: boolean;
  readonly types: readonly string[];
  readonly given: readonly string[];
  readonly chainId: number | null;
};

function sdkText({ path, isView, types, given, chainId }: Call): CallText {
  const data = [
    `function: "${path}",`,
    ...(types.length === 0 ? [] : [`typeArguments: ${JSON.stringify(types)},`]),
    `functionArguments: ${JSON.stringify(given.map((type) => `<${type}>`))},`,
  ];
  const config = `new AptosConfig({ network: Network.CUSTOM, fullnode: "${nodeUrl(chainId)}" })`;
  const setUp = `import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";\n\nconst aptos = new Aptos(${config});\n`;
  const dataLines = data.map((line) => `    ${line}\n`).join("");
  const call = isView
    ? `const result = await aptos.view({\n  payload: {\n${dataLines}  },\n});`
    : "const transaction = await aptos.transaction.build.simple({\n  sender: sender.accountAddress,\n" +
      `  data: {\n${dataLines}  },\n});\nawait aptos.signAndSubmitTransaction({ signer: sender, transaction });`;
  const sender = isView ? "" : "// `sender` is an account: Account.fromPrivateKey({ privateKey }).\n";
  return { tool: "TypeScript SDK", text: `${setUp}${sender}${call}` };
}

function toolText({ path, isView, types, given, chainId }: Call): CallText {
  const name = chainId === 126 || chainId === 250 ? "movement" : "aptos";
  const lines = [
    `${name} move ${isView ? "view" : "run"} --function-id '${path}'`,
    ...(types.length === 0 ? [] : [`--type-args ${types.map((type) => `'${type}'`).join(" ")}`]),
    ...(given.length === 0 ? [] : [`--args ${given.map((type) => `'${argumentOf(type)}'`).join(" ")}`]),
  ];
  return { tool: "Command line", text: lines.join(" \\\n  ") };
}

/** An argument as the tool takes it: with a type that it knows, as bytes where it knows none. */
function argumentOf(type: string): string {
  if (/^(?:bool|u8|u16|u32|u64|u128|u256|address)$/.test(type)) return `${type}:<${type}>`;
  if (type === "0x1::string::String") return "string:<text>";
  if (type.startsWith("0x1::object::Object<")) return `address:<${type}>`;
  if (type === "vector<u8>") return "hex:<bytes>";
  const element = /^vector<(bool|u16|u32|u64|u128|u256|address)>$/.exec(type)?.[1];
  return element === undefined ? `raw:<${type} as BCS>` : `${element}:[<${element}>, …]`;
}

function curlText({ path, types, given, chainId }: Call): CallText {
  const body = JSON.stringify({ function: path, type_arguments: types, arguments: given.map((type) => `<${type}>`) }, null, 2);
  return {
    tool: "curl",
    text: `curl -X POST '${nodeUrl(chainId)}/view' -H 'content-type: application/json' --data-binary @- <<'END'\n${body}\nEND`,
  };
}

/** A node of the chain, as far as one is known. */
function nodeUrl(chainId: number | null): string {
  const known = Object.values(networks).find((network) => network.chainId !== null && network.chainId === chainId);
  return known?.url ?? "http://127.0.0.1:8080/v1";
}

function moveText({ address, name }: ModuleId, fn: FunctionAbi, types: readonly string[]): CallText {
  const typeArguments = types.length === 0 ? "" : `<${types.map((type) => type.slice(1, -1)).join(", ")}>`;
  const given = fn.params.map((_: MoveType, i) => `arg${i}`).join(", ");
  return { tool: "Move", text: `use ${address}::${name};\n\n${name}::${fn.name}${typeArguments}(${given});` };
}
