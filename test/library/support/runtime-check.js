// Runs wherever JavaScript does: what movedex/decode, movedex/diff and movedex/explain say of the modules behind a URL.
import { decodeModule, formatNodeAbi, readInterface } from "movedex/decode";
import { compareModules } from "movedex/diff";
import { explainAbort } from "movedex/explain";

export async function check(url) {
  const { modules, upgrades, abort } = await (await fetch(url)).json();
  const differing = modules.filter(({ bytecode, version, abi }) => {
    const read = readInterface({ bytecode });
    return read.bytecodeVersion !== version || JSON.stringify(formatNodeAbi(read.abi)) !== JSON.stringify(abi);
  });
  const { message, module } = abort;
  return {
    modules: modules.length,
    differing: differing.length,
    upgrades: upgrades.map(([before, after]) => {
      const { depth, sha256, findings } = compareModules(modules[before], modules[after], { code: true });
      return { depth, sha256, rules: findings.map(({ rule }) => rule) };
    }),
    error: explainAbort(message, [modules[module]]).error.name,
    refused: refusal(() => decodeModule(Uint8Array.of(0xa1, 0x1c, 0xeb, 0x0b, 99, 0, 0, 0))),
    hasBuffer: "Buffer" in globalThis,
  };
}

function refusal(work) {
  try {
    work();
  } catch (error) {
    return error.code;
  }
}
