// The frame of every request: its ID, its admission, its time limit, the end of its work when the
// client leaves, the form of errors, a line in the log, and the metrics.

import { SvcError } from "../../base/errors/errors.ts";
import { joinSignals } from "../../base/join-signals.ts";
import type { Audience } from "../../base/phrase.ts";
import type { Run } from "../../tools/tools.ts";
import type { Admission, Lease } from "../limits/admission.ts";
import type { AnswerMemory, WaitingAnswer } from "../limits/answer-memory.ts";
import { openPace } from "../limits/pace.ts";
import type { LogFields } from "../request-log.ts";
import { type AccountsOptions, openAccounts } from "./account.ts";
import { asAnswer, errorResponse, isAtCapacity } from "./json-answer.ts";
import { announcedBytes, BODY_RULES, type BodyRules, readBodyText } from "./read-body.ts";
import { type Answer, sendReply, WORK_SECONDS } from "./reply.ts";

export interface RequestContext {
  readonly request: Request;
  /** Who reads the errors. */
  readonly audience: Audience;
  /** The parameters in the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly id: string;
  /** Reads the body. Throws the errors of `readBodyText`. */
  readonly text: () => Promise<string>;
  /**
   * Aborted when the client leaves, when the time limit is reached, or when the server must end.
   */
  readonly signal: AbortSignal;
  /** The client, signal and progress of the work that the request asks for. */
  readonly run: Run;
  /** Continues the answer after its headers, until this settles with its error or null. */
  readonly streams: (finished: Promise<SvcError | null>) => void;
  /** Holds a part of the answer that waits to be sent. Throws ANSWER_ROOM_FULL. */
  readonly hold: (bytes: number) => WaitingAnswer;
  /** Aborted with ANSWER_ROOM_FULL when the waiting part is cut off. */
  readonly cut: AbortSignal;
  /** Sets the time after which a silent connection is closed; null for that of an idle one. */
  readonly patience: (seconds: number | null) => void;
  /** Logs that the work failed, although the answer has a status of its own. */
  readonly failed: (error: SvcError, fields: LogFields) => void;
}

export type Handler = (context: RequestContext) => Answer | Promise<Answer>;

export interface Visit {
  /** The label of the request in metrics and log. */
  readonly route: string;
  readonly request: Request;
  readonly parameters: RequestContext["parameters"];
  readonly client: string;
  /** The largest body in bytes. */
  readonly maximumBytes: number;
  /**
   * Throws the reason to refuse the request, before its body is read. Null if there is always room.
   */
  readonly admit: ((request: Request) => Admission) | null;
  readonly handler: Handler;
  readonly patience: RequestContext["patience"];
  readonly audience: Audience;
}

export interface HandlingOptions extends AccountsOptions {
  readonly answerMemory: AnswerMemory;
  /** The time limit of one request. */
  readonly timeoutMilliseconds: number;
  /** Aborts all requests in flight. */
  readonly ending: AbortSignal;
}

/** The form of an ID. Clients choose IDs to find their requests in the log, not to fill it. */
const ID = /^[\w.:-]{1,64}$/;
/**
 * The body of a refused request may still arrive if it is small. A larger one is not worth the
 * connection.
 */
const LARGEST_UNREAD_BYTES = 64 * 1024;
/**
 * The connection of an answer that was cut off ends within seconds, because Bun cannot close it at
 * once.
 */
const CUT_SECONDS = 1;

export function openHandling(options: HandlingOptions) {
  const { clock } = options;
  const accounts = openAccounts(options);
  const pace = openPace(clock);
  let inFlight = 0;

  const settle = (arrived: Arrived, response: Response, error: SvcError | null, fields = {}) => {
    inFlight -= 1;
    const account = { ...answered(arrived, response, error), fields };
    accounts[isAtCapacity(error) ? "refused" : "answered"](account);
  };

  const refuse = async (arrived: Arrived, error: SvcError): Promise<Response> => {
    const response = withId(errorResponse(error, arrived.audience), arrived);
    if (announcedBytes(arrived.request, BODY_RULES) > LARGEST_UNREAD_BYTES)
      response.headers.set("connection", "close");
    else if (isAtCapacity(error)) await pace.turn();
    settle(arrived, response, error);
    return response;
  };

  const work = async (arrived: Arrived, lease: Lease | null): Promise<Response> => {
    let failure: RequestFailure | null = null;
    let finished: Promise<SvcError | null> | null = null;
    const failed = (error: SvcError, fields: LogFields) => {
      failure = { error, fields };
    };
    const streams = (until: Promise<SvcError | null>) => {
      finished = until;
    };
    const { settled, ...context } = contextOf(options, arrived, lease);
    const way = { ...context, failed, streams };
    let response: Response;
    try {
      arrived.patience(WORK_SECONDS);
      const answer = await arrived.handler(way);
      arrived.patience(null);
      response = answer instanceof Response ? answer : await sendReply(answer, way);
    } catch (thrown) {
      const error = endOfRequest(arrived.request, thrown);
      failed(error, {});
      response = errorResponse(error, arrived.audience);
    }
    const leave = () => {
      settled();
      lease?.leave();
    };
    const end = async (late: SvcError | null) => {
      leave();
      const { error = late, fields = {} } = failure ?? {};
      // Work that found no room is refused at the same pace as a request that found none.
      if (finished === null && isAtCapacity(error)) await pace.turn();
      settle(arrived, response, error, fields);
    };
    if (finished === null) await end(null);
    else void (finished as Promise<SvcError | null>).then(end);
    return withId(response, arrived);
  };

  return {
    inFlight: () => inFlight,
    async handle(visit: Visit): Promise<Response> {
      const { request, client, admit } = visit;
      const begin = clock.monotonicMilliseconds();
      const sentId = request.headers.get("x-request-id");
      const id = sentId !== null && ID.test(sentId) ? sentId : crypto.randomUUID();
      const rules = { ...BODY_RULES, maximumBytes: visit.maximumBytes };
      const arrived = { ...visit, id, begin, rules };
      inFlight += 1;
      try {
        const bytes = announcedBytes(request, rules);
        return work(arrived, admit?.(request).enter(client, bytes) ?? null);
      } catch (thrown) {
        return refuse(arrived, asAnswer(thrown));
      }
    },
  };
}

interface RequestFailure {
  readonly error: SvcError;
  readonly fields: LogFields;
}

interface Arrived extends Visit {
  readonly rules: BodyRules;
  readonly id: string;
  readonly begin: number;
}

function contextOf(
  { timeoutMilliseconds, ending, answerMemory }: HandlingOptions,
  { request, parameters, client, id, rules, patience, audience }: Arrived,
  lease: Lease | null,
): Omit<RequestContext, "streams" | "failed"> & { readonly settled: () => void } {
  const cut = new AbortController();
  const { signal, [Symbol.dispose]: settled } = joinSignals(
    [request.signal, ending],
    timeoutMilliseconds,
    lease?.controller,
  );
  const traceparent = request.headers.get("traceparent") ?? undefined;
  // Without a valid Host header, the URL is only a path.
  const origin = URL.parse(request.url)?.origin;
  const run: Run = { signal, traceparent, client, origin, progress: () => {} };
  const grow = (bytes: number) => lease?.grow(bytes);
  return {
    request,
    audience,
    parameters,
    id,
    signal,
    run,
    settled,
    patience,
    cut: cut.signal,
    hold: (bytes) =>
      answerMemory.hold(client, bytes, () => {
        cut.abort(gaveWay());
        patience(CUT_SECONDS);
      }),
    text: () => readBodyText(request, rules, { signal, grow }),
  };
}

function answered(
  { route, request, id, begin }: Arrived,
  { status }: Response,
  error: SvcError | null,
) {
  return { route, method: request.method, id, begin, status, error };
}

function withId(response: Response, { id }: Arrived): Response {
  response.headers.set("x-request-id", id);
  return response;
}

/** The reason that ended the work of a request, if the work threw `thrown` because of it. */
export function endOfRequest({ signal }: Request, thrown: unknown): SvcError {
  return signal.aborted ? connectionEnded(thrown) : asAnswer(thrown);
}

function gaveWay(): SvcError {
  return new SvcError("ANSWER_ROOM_FULL", {
    message: "This server gave up the answer, because the answer to another client had no room.",
    remedy: "Read the answers to earlier requests, or ask for less at once.",
  });
}

/** Bun also closes a connection if another request comes on it before the answer. */
function connectionEnded(cause: unknown): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The connection ended before the answer.",
    remedy:
      "Raise the client's timeout, and send each request only after the answer to the one before.",
    cause,
  });
}
