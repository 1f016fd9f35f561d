// Keeps the pages of the transactions that this process debugged last, in memory only. Their number
// and their size are bounded.

export interface RecentPage {
  readonly hash: string;
  /** The inner hash of a fee bump, by which the page is found too. */
  readonly innerHash: string | null;
  readonly headline: string;
  readonly success: boolean;
  /** The verdict, such as `exact`; null if nothing was replayed. */
  readonly verdict: string | null;
  readonly html: string;
}

export type RecentPages = ReturnType<typeof openRecentPages>;

/** A page has about 200 KB, and one with thousands of calls a few MB. */
const LIMITS = { pages: 50, characters: 64 * 1024 * 1024 };

export function openRecentPages(limits = LIMITS) {
  let pages: RecentPage[] = [];
  return {
    add(page: RecentPage): void {
      pages = [page, ...pages.filter(({ hash }) => hash !== page.hash)].slice(0, limits.pages);
      const size = () => pages.reduce((sum, { html }) => sum + html.length, 0);
      while (pages.length > 0 && size() > limits.characters) pages.pop();
    },
    /** Finds a page by the outer or the inner hash; null if it is not, or no longer, kept. */
    find: (pageHash: string): RecentPage | null =>
      pages.find(({ hash, innerHash }) => pageHash === hash || pageHash === innerHash) ?? null,
    /** The pages, the newest first. */
    list: (): readonly RecentPage[] => pages,
  };
}
