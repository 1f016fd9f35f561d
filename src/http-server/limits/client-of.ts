// Identifies the client of a request, for fairness between clients: by the address of the
// connection, or by what a proxy reports. It only decides who waits.

import { isIPv6 } from "node:net";

const LONGEST = 64;

/** `header` is the one that the server's proxy sets; null without a proxy. */
export function openClientOf(header: string | null) {
  /** `address` is null for a Unix socket. */
  return ({ headers }: Request, address: string | null): string => {
    const addresses = header === null ? null : headers.get(header);
    // Each proxy appends the address that it sees. The last one is from the server's own proxy.
    const last = addresses?.split(",").at(-1)?.trim().slice(0, LONGEST);
    return networkOf(last || (address ?? ""));
  };
}

/** The network of an address: an IPv6 host can use any address in its 64-bit network. */
export function networkOf(address: string): string {
  if (!address.includes(":") || !isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
