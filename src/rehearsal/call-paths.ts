// Which call stands for each path: the first one of the path that was read. A period of an archive
// is replayed several times, and a call can then take another path, or turn out not to be judged.
// Invariant: once a period has been replayed, a path that any of its calls takes has a call.

/** A call in the order in which calls are read. */
export interface ReadCall {
  readonly hash: string;
  /** Its place in its period; 0 if no call is read again. */
  readonly place: number;
  /** The period of an archive; null if no call is read again. */
  readonly period: number | null;
}

interface Path {
  /** The call that stands for the path; null if that call has left it. */
  first: ReadCall | null;
}

export class CallPaths {
  private readonly paths = new Map<string, Path>();
  /** The path of each call, by hash. */
  private readonly pathOfCall = new Map<string, Path>();

  /**
   * Notes the path that a call takes. Returns whether the call stands for it, and the hash of the
   * call that did so before and no longer does, if there is one.
   */
  take(path: string, call: ReadCall): { readonly isFirst: boolean; readonly replaced?: string } {
    const taken = this.paths.get(path) ?? { first: null };
    this.paths.set(path, taken);
    if (this.pathOfCall.get(call.hash) !== taken) this.leave(call.hash);
    this.pathOfCall.set(call.hash, taken);
    const { first } = taken;
    if (first !== null && first.hash !== call.hash && !isReadBefore(call, first))
      return { isFirst: false };
    taken.first = call;
    return first === null || first.hash === call.hash
      ? { isFirst: true }
      : { isFirst: true, replaced: first.hash };
  }

  /** The call takes no path any more. */
  leave(hash: string): void {
    const path = this.pathOfCall.get(hash);
    if (path?.first?.hash === hash) path.first = null;
    this.pathOfCall.delete(hash);
  }

  /** True if the call takes a path for which no call stands, so that it has to be read again. */
  isNeeded(hash: string): boolean {
    const path = this.pathOfCall.get(hash);
    return path !== undefined && path.first === null;
  }
}

/** In an earlier replay of its period, the other call was read first. */
function isReadBefore(call: ReadCall, other: ReadCall): boolean {
  return call.period !== null && call.period === other.period && call.place < other.place;
}
