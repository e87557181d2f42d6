type Signal = "SIGINT" | "SIGTERM";

/** `signals` goes to `runCli`; `send` then delivers a signal to that command, when it has begun. */
export function signalSender(): {
  readonly signals: (deliver: (signal: Signal) => void) => void;
  readonly send: (signal: Signal) => void;
} {
  let deliver: ((signal: Signal) => void) | undefined;
  return {
    signals: (to) => {
      deliver = to;
    },
    send: (signal) => deliver?.(signal),
  };
}
