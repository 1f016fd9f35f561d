// The named entries of one `svc-sim serve` process. Many requests have the same contract code and
// settings, which are sent and decoded once (src/svc-sim/README.md, `define`). Invariant: a line,
// or an earlier line to the same process, defines every name in the line, so lines must be written
// in the order of their creation.

import { RecentlyUsed } from "../base/recently-used.ts";
import type { DeadlinedRequest } from "./simulator.ts";

/** A request to either build of svc-sim. */
export interface AnyRequest extends DeadlinedRequest {
  readonly ledger_entries: LedgerEntries;
  readonly ledger?:
    | (Readonly<Record<string, unknown>> & { readonly settings?: readonly string[] | undefined })
    | undefined;
}

/** Shorter entries get no name. Settings always have one, because most requests share them. */
const NAMED_FROM_CHARACTERS = 400;

/** The number of base64 characters that one process keeps by default. */
const HELD_CHARACTERS = 32 * 1024 * 1024;

/**
 * Each ledger brings new settings of about 50 characters. An entry takes 500 bytes in svc-sim in
 * addition to its text, and half of that here.
 */
const HELD_ENTRIES = 4_096;

type LedgerEntries = Readonly<
  Record<string, string | null | { readonly entry_xdr: string; readonly [field: string]: unknown }>
>;

export class SentEntries {
  private readonly forgotten: string[] = [];
  /** The names, by entry. Entries are forgotten only before a line. */
  private readonly names = new RecentlyUsed<string, string>({
    weight: Number.POSITIVE_INFINITY,
    weigh: (_, entryXdr) => entryXdr.length,
    forgotten: (name) => this.forgotten.push(name),
  });
  private nextName = 1;

  constructor(private readonly limitCharacters = HELD_CHARACTERS) {}

  /** The request as a line, without the line break. */
  line(id: number, request: AnyRequest): string {
    const define: Record<string, string> = {};
    const forget = this.makeRoom();
    const nameOf = (entryXdr: string) => this.nameOf(entryXdr, define);
    const { ledger, ledger_entries, ...rest } = request;
    const settings = ledger?.settings?.map(nameOf);
    const nameOfLarge = (entryXdr: string) =>
      entryXdr.length < NAMED_FROM_CHARACTERS ? entryXdr : nameOf(entryXdr);
    return JSON.stringify({
      id,
      ...rest,
      ledger: settings === undefined ? ledger : { ...ledger, settings },
      ledger_entries: withNames(ledger_entries, nameOfLarge),
      define,
      forget,
    });
  }

  private nameOf(entryXdr: string, define: Record<string, string>): string {
    let name = this.names.get(entryXdr);
    if (name === undefined) {
      name = String(this.nextName++);
      this.names.set(entryXdr, name);
      define[name] = entryXdr;
    }
    return `#${name}`;
  }

  /** Frees half of the room when it is full. Returns the names that no later line may use. */
  private makeRoom(): string[] {
    const { weight, size } = this.names;
    if (weight > this.limitCharacters || size > HELD_ENTRIES)
      this.names.trim(this.limitCharacters / 2, HELD_ENTRIES / 2);
    return this.forgotten.splice(0);
  }
}

function withNames(entries: LedgerEntries, nameOf: (entryXdr: string) => string): LedgerEntries {
  const named: Record<string, LedgerEntries[string]> = {};
  for (const [keyXdr, entry] of Object.entries(entries)) {
    if (entry === null) named[keyXdr] = null;
    else if (typeof entry === "string") named[keyXdr] = nameOf(entry);
    else named[keyXdr] = { ...entry, entry_xdr: nameOf(entry.entry_xdr) };
  }
  return named;
}
