// The named entries of one `svc-sim serve` process: request after request has the same contract
// code and settings, which are sent and decoded once (src/svc-sim/README.md, `define`).
// Invariant: a line, or an earlier line to the same process, defines the names in the line, so
// lines must be written in the order in which they are created.

import type { DeadlinedRequest } from "./simulator.ts";

/** A request to either build of svc-sim. */
export interface AnyRequest extends DeadlinedRequest {
  readonly ledger_entries: LedgerEntries;
  readonly ledger?:
    | (Readonly<Record<string, unknown>> & { readonly settings?: readonly string[] | undefined })
    | undefined;
}

/** Shorter entries get no name. Settings always have one: most requests have the same. */
const NAMED_FROM_CHARACTERS = 400;

/** Base64 that one process keeps, by default. */
const HELD_CHARACTERS = 32 * 1024 * 1024;

/**
 * Each ledger brings new settings of some 50 characters, and an entry takes 500 bytes beside its
 * text in svc-sim, and half of that here.
 */
const HELD_ENTRIES = 4_096;

type LedgerEntries = Readonly<
  Record<string, string | null | { readonly entry_xdr: string; readonly [field: string]: unknown }>
>;

export class SentEntries {
  /** `line`: the last one that named the entry. */
  private readonly entries = new Map<string, { readonly name: string; line: number }>();
  private heldCharacters = 0;
  private nextName = 1;
  private lines = 0;

  constructor(private readonly limitCharacters = HELD_CHARACTERS) {}

  /** The request as a line, without the line break. */
  line(id: number, request: AnyRequest): string {
    const define: Record<string, string> = {};
    const forget = this.isFull(1) ? this.forgetUnused() : [];
    this.lines += 1;
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
    let sent = this.entries.get(entryXdr);
    if (sent === undefined) {
      sent = { name: String(this.nextName++), line: this.lines };
      this.entries.set(entryXdr, sent);
      define[sent.name] = entryXdr;
      this.heldCharacters += entryXdr.length;
    }
    sent.line = this.lines;
    return `#${sent.name}`;
  }

  private isFull(share: number): boolean {
    return (
      this.heldCharacters > this.limitCharacters * share || this.entries.size > HELD_ENTRIES * share
    );
  }

  /** Forgets the entries that were not used for longest, until half of the room is free. */
  private forgetUnused(): string[] {
    const forgotten: string[] = [];
    for (const [entryXdr, { name }] of [...this.entries].sort(([, a], [, b]) => a.line - b.line)) {
      if (!this.isFull(0.5)) break;
      this.entries.delete(entryXdr);
      this.heldCharacters -= entryXdr.length;
      forgotten.push(name);
    }
    return forgotten;
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
