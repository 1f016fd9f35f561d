// Decides whether work is accepted: a request from its headers, before its body is read, and a run
// before it begins. All routes share these rooms: one for runs of svc-sim, one for all other
// requests, and one for the bytes of all bodies. Invariant: a client with more work than another
// does not keep the other out. If there is no room, the newest request of the client with the most
// is ended in favor of a client with less.

import { SvcError } from "../../base/errors/errors.ts";
import { joinSignals } from "../../base/join-signals.ts";
import type { Run } from "../../tools/tools.ts";
import { type Guest, Guests } from "./guests.ts";

export interface Lease {
  /**
   * Aborted with OVERLOADED if the request is ended in favor of another client. Its user may abort
   * it too.
   */
  readonly controller: AbortController;
  /** Notes that more of the body has arrived than was announced. Throws OVERLOADED. */
  readonly grow: (bytes: number) => void;
  /** Frees the room. A second call has no effect. */
  readonly leave: () => void;
}

export interface Admission {
  /** Admits a request. `bytes` is the announced size of the body. Throws OVERLOADED. */
  readonly enter: (client: string, bytes: number) => Lease;
}

/** The rooms for all work of clients. */
export interface WorkRooms {
  /** The room for runs that clients request directly. The runs of a walk are part of the walk. */
  readonly runs: Admission;
  readonly requests: Admission;
  /** The bytes of the bodies of all admitted requests. */
  readonly bodyBytes: () => number;
}

export interface WorkLimits {
  readonly runs: number;
  readonly requests: number;
  readonly bodyBytes: number;
}

export function openWorkRooms({ runs, requests, bodyBytes }: WorkLimits): WorkRooms {
  const bodies = openBodyRoom(bodyBytes);
  return {
    runs: bodies.admission(runs),
    requests: bodies.admission(requests),
    bodyBytes: bodies.bytes,
  };
}

/**
 * Runs `work` in the room. Throws OVERLOADED, also if the work is ended in favor of another client.
 */
export async function admitted<Result>(
  room: Admission,
  run: Pick<Run, "client" | "signal">,
  work: (run: Pick<Run, "client" | "signal">) => Promise<Result>,
): Promise<Result> {
  const { client = "", signal } = run;
  const lease = room.enter(client, 0);
  using joined = joinSignals([signal], undefined, lease.controller);
  try {
    return await work({ client, signal: joined.signal });
  } finally {
    lease.leave();
  }
}

/** The room for the bodies of all requests. Several admissions share it. */
export interface BodyRoom {
  /** The limit of bytes for the bodies of all admitted requests. */
  readonly bytes: () => number;
  /** Makes room for `limit` requests whose bodies are in this room. */
  readonly admission: (limit: number) => Admission;
}

export function openBodyRoom(limitBytes: number): BodyRoom {
  const bodies = new Guests();
  return {
    bytes: () => bodies.bytes,
    admission: (limit) => openAdmission(limit, bodies, limitBytes),
  };
}

function openAdmission(limit: number, bodies: Guests, bodyLimitBytes: number): Admission {
  const guests = new Guests();
  /** These throw OVERLOADED if there is no room and no other request can be ended. */
  const makeRoomForOne = (client: string): void => {
    while (guests.count >= limit) {
      const other = guests.newestOfMoreThan(guests.countOf(client) + 1, (has) => has.guests.size);
      if (other === null) throw overloaded(guests.count);
      other.giveWay();
    }
  };
  const makeRoomForBytes = (client: string, bytes: number): void => {
    while (bodies.bytes + bytes > bodyLimitBytes) {
      const most = bodies.bytesOf(client) + bytes;
      const other = bodies.newestOfMoreThan(most, (has) => has.bytes);
      if (other === null) throw overloaded(guests.count);
      other.giveWay();
    }
  };
  return {
    enter(client, bytes) {
      makeRoomForOne(client);
      makeRoomForBytes(client, bytes);
      const controller = new AbortController();
      const leave = () => {
        guests.delete(guest);
        bodies.delete(guest);
      };
      const guest: Guest = {
        client,
        bytes,
        giveWay() {
          leave();
          controller.abort(overloaded(guests.count));
        },
      };
      guests.add(guest);
      bodies.add(guest);
      return {
        controller,
        leave,
        grow(to) {
          controller.signal.throwIfAborted();
          makeRoomForBytes(client, to - guest.bytes);
          leave();
          guest.bytes = to;
          guests.add(guest);
          bodies.add(guest);
        },
      };
    },
  };
}

function overloaded(count: number): SvcError {
  return new SvcError("OVERLOADED", {
    message: `This server is at capacity: ${count} requests are in work.`,
    remedy: "Try again after the time in the Retry-After header, or run more replicas.",
  });
}
