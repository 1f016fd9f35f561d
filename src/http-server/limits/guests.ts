// Tracks what each client has in a room, so that the client with the most can be limited in favor
// of one with less.

/** An item in a room. */
export interface Guest {
  readonly client: string;
  bytes: number;
  readonly giveWay: () => void;
}

/** The items of one client. */
interface Share {
  /** The items, the oldest first. */
  readonly guests: Set<Guest>;
  bytes: number;
}

export class Guests {
  private readonly shares = new Map<string, Share>();
  count = 0;
  bytes = 0;

  add(guest: Guest): void {
    const share = this.shares.get(guest.client) ?? { guests: new Set(), bytes: 0 };
    this.shares.set(guest.client, share);
    share.guests.add(guest);
    share.bytes += guest.bytes;
    this.count += 1;
    this.bytes += guest.bytes;
  }

  delete(guest: Guest): void {
    const share = this.shares.get(guest.client);
    if (share?.guests.delete(guest) !== true) return;
    share.bytes -= guest.bytes;
    if (share.guests.size === 0) this.shares.delete(guest.client);
    this.count -= 1;
    this.bytes -= guest.bytes;
  }

  countOf(client: string): number {
    return this.shares.get(client)?.guests.size ?? 0;
  }

  bytesOf(client: string): number {
    return this.shares.get(client)?.bytes ?? 0;
  }

  /** The newest item of the client with the most, if that client has more than `most`. */
  newestOfMoreThan(most: number, measure: (share: Share) => number): Guest | null {
    let greatest: Share | null = null;
    for (const share of this.shares.values())
      if (measure(share) > (greatest === null ? most : measure(greatest))) greatest = share;
    return [...(greatest?.guests ?? [])].at(-1) ?? null;
  }
}
