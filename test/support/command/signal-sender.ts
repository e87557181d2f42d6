type Signal = "SIGINT" | "SIGTERM";

/** `signals` goes to `runCli`; `send` then delivers a signal to that command, when it has begun. */
export function signalSender(): {
  readonly signals: (deliver: (signal: Signal) => void) => void;
  readonly send: (signal: Signal) => void;
} {
  const listeners: ((signal: Signal) => void)[] = [];
  return {
    signals: (deliver) => {
      listeners.push(deliver);
    },
    send: (signal) => {
      for (const deliver of listeners) deliver(signal);
    },
  };
}
