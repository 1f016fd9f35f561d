// Runs several actions at once.

/**
 * Runs at most `limit` actions at once and returns the results in the order of the items. `action`
 * should not throw: the first rejection rejects the call, and no further item is started.
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
 * Awaits actions that already run. If several reject, the first one in the list is thrown, also if
 * another rejected earlier. The actions after it in the list are not awaited.
 */
export async function awaitInOrder<Results extends readonly unknown[]>(
  actions: {
    readonly [At in keyof Results]: Promise<Results[At]>;
  },
): Promise<Results> {
  for (const action of actions) action.catch(() => {});
  const results: unknown[] = [];
  for (const action of actions) results.push(await action);
  return results as unknown as Results;
}
