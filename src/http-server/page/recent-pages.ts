// The pages of the transactions that this process debugged last. They are in memory only, and their
// number and their size are bounded.

export interface RecentPage {
  readonly hash: string;
  /** Of a fee-bump: the page is found by it too. */
  readonly innerHash: string | null;
  readonly headline: string;
  readonly success: boolean;
  /** `exact`, …; null when nothing was replayed. */
  readonly verdict: string | null;
  readonly html: string;
}

export type RecentPages = ReturnType<typeof openRecentPages>;

/** A page is some 200 KB; one with thousands of calls is a few MB. */
const LIMITS = { pages: 50, characters: 64 * 1024 * 1024 };

export function openRecentPages(limits = LIMITS) {
  let pages: RecentPage[] = [];
  return {
    add(page: RecentPage): void {
      pages = [page, ...pages.filter(({ hash }) => hash !== page.hash)].slice(0, limits.pages);
      const size = () => pages.reduce((sum, { html }) => sum + html.length, 0);
      while (pages.length > 0 && size() > limits.characters) pages.pop();
    },
    /** By the outer or the inner hash; null when it is not, or no longer, there. */
    find: (wanted: string): RecentPage | null =>
      pages.find(({ hash, innerHash }) => wanted === hash || wanted === innerHash) ?? null,
    /** The newest first. */
    list: (): readonly RecentPage[] => pages,
  };
}
