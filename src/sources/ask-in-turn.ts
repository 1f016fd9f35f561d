// Asks nodes for one thing, one after another, until one has an answer. Everything that svc asks of
// nodes can be asked twice. So svc does not wait for a slow node: it also asks the next one, and
// the first answer counts.

import type { SvcError } from "../base/errors/errors.ts";
import { type FetchContext, isFailureOfNode, type Rank, type Standing } from "./source.ts";

/** A node or a file that can be asked. A file has no standing. */
export interface Respondent {
  readonly standing?: Standing | undefined;
}

/** The first answer, the node that gave it, and the failures of the other nodes. */
export interface Asked<T, Node> {
  readonly answer: T | null;
  readonly source: Node | null;
  readonly failures: readonly SvcError[];
}

/**
 * Asks one node. Undefined if the node has nothing of this kind. The signal of the context is
 * aborted after another node has answered.
 */
export type Ask<T, Node> = (node: Node, context: FetchContext) => Promise<T | null> | undefined;

const ORDER: readonly Rank[] = ["first", "last", "resting"];

/**
 * The nodes in the order of requests: nodes that timed out come after the others, and resting nodes
 * last.
 */
export function inOrder<Node extends Respondent>(nodes: readonly Node[]): Node[] {
  const ranks = new Map(nodes.map((node) => [node, node.standing?.rank() ?? "first"]));
  return ORDER.flatMap((rank) => nodes.filter((node) => ranks.get(node) === rank));
}

/** The same without resting nodes, unless all rest. */
export function awakeInOrder<Node extends Respondent>(nodes: readonly Node[]): Node[] {
  const awake = nodes.filter(({ standing }) => standing?.rank() !== "resting");
  return inOrder(awake.length === 0 ? nodes : awake);
}

/**
 * Asks the nodes in turn. A node that fails is skipped. A resting node is asked only after all
 * others failed. A node that timed out lately gets little time if another has answered that it has
 * nothing. Throws NODE_LIED, an interruption and a reached time limit.
 */
export async function askInTurn<T, Node extends Respondent>(
  nodes: readonly Node[],
  context: FetchContext,
  ask: Ask<T, Node>,
): Promise<Asked<T, Node>> {
  const left = inOrder(nodes);
  const failures = new Map<Node, SvcError>();
  const running = new Set<Attempt<T, Node>>();
  const result = (answer: T | null, source: Node | null) => ({
    answer,
    source,
    failures: nodes.flatMap((node) => failures.get(node) ?? []),
  });
  let answered = false;
  try {
    for (;;) {
      while (left.length > 0 && [...running].every(({ overdue }) => overdue)) {
        const node = left.shift() as Node;
        const restFailure = node.standing?.rank() === "resting" ? node.standing.failure : null;
        if (answered && restFailure) failures.set(node, restFailure);
        else {
          const attempt = begin(node, { ...context, brief: left.length > 0 }, ask);
          if (attempt !== null) running.add(attempt);
        }
      }
      if (running.size === 0) return result(null, null);
      const hurried = [...running].filter(({ hasTimedOut }) => hasTimedOut && answered);
      if (left.length === 0) for (const each of hurried) if (each.overdue) giveUp(each);
      const isTimed = (each: Attempt<T, Node>) => left.length > 0 || hurried.includes(each);
      const events = [...running].flatMap((each) => eventsOf(each, isTimed(each)));
      const ended = await Promise.race(events);
      if (ended === null) continue;
      const { node, waiting } = ended.attempt;
      waiting.abort();
      running.delete(ended.attempt);
      if ("answer" in ended) {
        if (ended.answer !== null) return result(ended.answer, node);
        answered = true;
      } else if (context.signal.aborted || !isFailureOfNode(ended.error)) throw ended.error;
      else failures.set(node, ended.error);
    }
  } finally {
    for (const attempt of running) giveUp(attempt);
  }
}

interface Attempt<T, Node> {
  readonly node: Node;
  /** True if it timed out lately. */
  readonly hasTimedOut: boolean;
  readonly asking: AbortController;
  /** Aborts the wait after which the node is overdue. */
  readonly waiting: AbortController;
  /** The end of the attempt. It never rejects. */
  readonly ended: Promise<Ended<T, Node>>;
  late: Promise<null> | null;
  overdue: boolean;
}

type Ended<T, Node> = { readonly attempt: Attempt<T, Node> } & (
  | { readonly answer: T | null }
  | { readonly error: unknown }
);

function begin<T, Node extends Respondent>(
  node: Node,
  context: FetchContext,
  ask: Ask<T, Node>,
): Attempt<T, Node> | null {
  const hasTimedOut = node.standing?.timedOut === true;
  const asking = new AbortController();
  const signal = AbortSignal.any([context.signal, asking.signal]);
  const answer = ask(node, { ...context, signal });
  if (answer === undefined) return null;
  const attempt: Attempt<T, Node> = {
    node,
    hasTimedOut,
    asking,
    waiting: new AbortController(),
    late: null,
    overdue: false,
    ended: answer.then(
      (value) => ({ attempt, answer: value ?? null }),
      (error: unknown) => ({ attempt, error }),
    ),
  };
  return attempt;
}

/** The end of the attempt, preceded once by null if it is overdue. */
function eventsOf<T, Node extends Respondent>(attempt: Attempt<T, Node>, isTimed: boolean) {
  const { standing } = attempt.node;
  if (standing === undefined || attempt.overdue || !isTimed) return [attempt.ended];
  attempt.late ??= standing.overdue(attempt.waiting.signal).then(
    () => {
      attempt.overdue = true;
      return null;
    },
    () => new Promise<never>(() => {}),
  );
  return [attempt.ended, attempt.late];
}

/**
 * Ends the attempt because another node has answered. It counts as a time-out only if the node had
 * its time.
 */
function giveUp<T, Node>({ asking, waiting, overdue }: Attempt<T, Node>): void {
  const reason = overdue ? "TimeoutError" : "AbortError";
  waiting.abort();
  asking.abort(new DOMException("Another node has answered.", reason));
}
