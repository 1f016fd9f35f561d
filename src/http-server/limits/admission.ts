// Decides whether work is accepted: a request from its headers, before its body is read, and a run
// that a call asks for before it begins. All routes share these rooms: one for runs of svc-sim, one
// for requests of all other kinds, and one for the bytes of all bodies together.
// Invariant: a client that has more than another does not keep the other out. When there is no
// room, the newest request of the client that has the most gives way to a client that has less.

import { SvcError } from "../../base/errors/errors.ts";
import { joinSignals } from "../../base/join-signals.ts";
import type { Run } from "../../tools/tools.ts";
import { type Guest, Guests } from "./guests.ts";

export interface Lease {
  /** Aborted, with OVERLOADED, when the request has to give way; its user may end it as well. */
  readonly controller: AbortController;
  /** More of the body than announced has arrived. Throws OVERLOADED. */
  readonly grow: (bytes: number) => void;
  /** The room is free again; calling it twice is harmless. */
  readonly leave: () => void;
}

export interface Admission {
  /** Throws OVERLOADED. `bytes`: of the body, as announced. */
  readonly enter: (client: string, bytes: number) => Lease;
}

/** Everything that clients may have in work. */
export interface WorkRooms {
  /** Runs that clients ask for by themselves; those that a walk needs are part of the walk. */
  readonly runs: Admission;
  readonly requests: Admission;
  /** What the bodies of the requests that are in have together. */
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

/** Runs `work` in the room. Throws OVERLOADED, also when it has to give way. */
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

/** The room for the bodies of all requests, which several admissions share. */
export interface BodyRoom {
  /** What the bodies of the requests that are in may have together. */
  readonly bytes: () => number;
  /** Room for `limit` requests with bodies in this room. */
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
  /** These throw OVERLOADED when there is no room, and nobody has to give way. */
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
