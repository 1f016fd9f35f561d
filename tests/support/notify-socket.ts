// The socket of a service manager: datagrams to a path, or to a name without a file (`@…`).

import { ptr } from "bun:ffi";
import { openCLibrary } from "../../src/http-server/c-library.ts";
import { until } from "./until.ts";

const SIGNATURES = {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  bind: { args: ["i32", "ptr", "u32"], returns: "i32" },
  recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
  close: { args: ["i32"], returns: "i32" },
} as const;
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;

export interface NotifySocket extends Disposable {
  /** All messages so far, in order. */
  readonly received: () => readonly string[];
  readonly gets: (message: (text: string) => boolean) => Promise<void>;
}

export function openNotifySocket(name: string): NotifySocket {
  const library = openCLibrary(SIGNATURES);
  if (library === null) throw new Error("there is no C library");
  const descriptor = library.socket(AF_UNIX, SOCK_DGRAM, 0);
  const path = Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : `${name}\0`);
  const address = Buffer.concat([Buffer.from([AF_UNIX, 0]), path]);
  if (library.bind(descriptor, ptr(address), address.length) !== 0)
    throw new Error(`cannot bind ${name}`);
  const messages: string[] = [];
  const buffer = Buffer.alloc(4096);
  const received = () => {
    for (;;) {
      const bytes = Number(library.recv(descriptor, ptr(buffer), buffer.length, MSG_DONTWAIT));
      if (bytes < 0) return messages;
      messages.push(buffer.toString("utf8", 0, bytes));
    }
  };
  return {
    received,
    gets: (message) => until(() => received().some(message)),
    [Symbol.dispose]: () => void library.close(descriptor),
  };
}
