// Which client a request is from, for fairness between clients: the address of the connection, or
// what a proxy says about it. It decides only who waits.

import { isIPv6 } from "node:net";

const LONGEST = 64;

/** `header`: the one of the server's proxy; null without a proxy. */
export function openClientOf(header: string | null) {
  /** `address`: null for a Unix socket. */
  return ({ headers }: Request, address: string | null): string => {
    const given = header === null ? null : headers.get(header);
    // Each proxy appends the address that it sees; the last one is that of the server's own proxy.
    const last = given?.split(",").at(-1)?.trim().slice(0, LONGEST);
    return networkOf(last || (address ?? ""));
  };
}

/** One host of IPv6 has as many addresses as it likes in its network of 64 bits. */
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
