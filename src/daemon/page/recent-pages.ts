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

export interface RecentPages {
  readonly add: (page: RecentPage) => void;
  /** By the outer or the inner hash; null when it is not, or no longer, there. */
  readonly find: (hash: string) => RecentPage | null;
  /** The newest first. */
  readonly list: () => readonly RecentPage[];
}

export interface RecentLimits {
  readonly pages: number;
  readonly characters: number;
}

/** A page is some 200 KB; one with thousands of calls is a few MB. */
const LIMITS: RecentLimits = { pages: 50, characters: 64 * 1024 * 1024 };

export function openRecentPages(limits = LIMITS): RecentPages {
  let pages: RecentPage[] = [];
  return {
    add(page) {
      pages = [page, ...pages.filter(({ hash }) => hash !== page.hash)].slice(0, limits.pages);
      const size = () => pages.reduce((sum, { html }) => sum + html.length, 0);
      while (pages.length > 0 && size() > limits.characters) pages.pop();
    },
    find: (wanted) =>
      pages.find(({ hash, innerHash }) => wanted === hash || wanted === innerHash) ?? null,
    list: () => pages,
  };
}
