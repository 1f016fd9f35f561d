// Notifies the program that started the server about its state: systemd, with `Type=notify`. A
// message is one datagram to the socket that NOTIFY_SOCKET names (sd_notify(3)). Only Linux has it.
// Invariant: without NOTIFY_SOCKET nothing is opened and nothing is sent.

import { ptr } from "bun:ffi";
import { openCLibrary } from "./c-library.ts";
import type { EventLog } from "./request-log.ts";

export interface ServiceManagerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly processId: number;
  readonly log: EventLog;
}

export interface ServiceManager extends Disposable {
  /** Reports that the server listens: clients that start after it find it. */
  readonly ready: (address: string) => void;
  /** Reports that the server takes no new work, and ends soon. */
  readonly stopping: () => void;
}

const SIGNATURES = {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
  close: { args: ["i32"], returns: "i32" },
} as const;
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2_000_000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
/** `sun_path` of sockaddr_un. */
const LONGEST_PATH = 108;
const SILENT: ServiceManager = { ready() {}, stopping() {}, [Symbol.dispose]() {} };

/**
 * Opens the manager. Signs of life begin at once. If the manager cannot be reached, svc logs it.
 */
export function openServiceManager(options: ServiceManagerOptions): ServiceManager {
  const { environment, processId, log } = options;
  const { NOTIFY_SOCKET: path = "" } = environment;
  if (path === "") return SILENT;
  const send = openSender(path);
  if (send === null) {
    log.write("warn", "the service manager cannot be reached", { socket: path });
    return SILENT;
  }
  const tell = (text: string) => {
    if (!send(text, MSG_NOSIGNAL))
      log.write("warn", "the service manager got no message", { socket: path, text });
  };
  const period = signOfLifeMilliseconds(environment, processId);
  // The sign comes from this thread, so that a server whose thread is stuck gives none.
  const live = () => void send("WATCHDOG=1", MSG_NOSIGNAL | MSG_DONTWAIT);
  const timer = period === null ? undefined : setInterval(live, period).unref();
  return {
    ready: (address) => tell(`READY=1\nSTATUS=Listening on ${address}`),
    stopping: () => tell("STOPPING=1\nSTATUS=Finishing the requests in flight"),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Half of the time after which systemd ends a silent server (sd_watchdog_enabled(3)). */
function signOfLifeMilliseconds(
  { WATCHDOG_USEC = "", WATCHDOG_PID = "" }: ServiceManagerOptions["environment"],
  processId: number,
): number | null {
  const isForAnother = WATCHDOG_PID !== "" && WATCHDOG_PID !== String(processId);
  if (isForAnother || !/^[1-9]\d{0,15}$/.test(WATCHDOG_USEC)) return null;
  return Math.max(1, Math.floor(Number(WATCHDOG_USEC) / 2000));
}

type Send = (message: string, flags: number) => boolean;

/** Null for an invalid address, and on a system without such sockets. */
function openSender(path: string): Send | null {
  const address = addressOf(path);
  const library = process.platform === "linux" ? openCLibrary(SIGNATURES) : null;
  if (address === null || library === null) return null;
  return (message, flags) => {
    const descriptor = library.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return false;
    const bytes = Buffer.from(message);
    const to = ptr(address);
    const sent = library.sendto(descriptor, ptr(bytes), bytes.length, flags, to, address.length);
    library.close(descriptor);
    return Number(sent) === bytes.length;
  };
}

/** A `sockaddr_un`: a path, or a name without a file, which begins with `@`. */
function addressOf(path: string): Uint8Array | null {
  const bytes = Buffer.from(path);
  if (!/^[/@]./.test(path) || bytes.length >= LONGEST_PATH) return null;
  const isAbstract = path.startsWith("@");
  const address = new Uint8Array(2 + bytes.length + (isAbstract ? 0 : 1));
  new DataView(address.buffer).setUint16(0, AF_UNIX, true);
  address.set(bytes, 2);
  if (isAbstract) address[2] = 0;
  return address;
}
