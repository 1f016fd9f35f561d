// Several actions at once.

/**
 * The results, in the order of the items. `action` should not throw: the first rejection rejects
 * the call, and no further item is started.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  action: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failed = false;
  const work = async () => {
    while (next < items.length && !failed) {
      const index = next;
      next += 1;
      try {
        results[index] = await action(items[index] as Item, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}

/**
 * The results. Of several rejections, the first in the list is thrown, so that it does not depend on
 * which came first; those after it are not waited for.
 */
export async function allInOrder<Results extends readonly unknown[]>(
  actions: {
    readonly [At in keyof Results]: Promise<Results[At]>;
  },
): Promise<Results> {
  // They may reject before their turn.
  for (const action of actions) action.catch(() => {});
  for (const action of actions) await action;
  return Promise.all(actions) as Promise<unknown> as Promise<Results>;
}
