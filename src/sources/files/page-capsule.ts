// The capsules in a page of `svc debug --format html`. The page's own markup is not trusted or
// parsed: only the text of these elements is read, and it must be a capsule like any other.

const PAGE = /^\s*<!doctype html>/i;
const CAPSULE = /<script type="application\/json" class="svc-capsule"[^>]*>([^<]*)<\/script>/g;

/** The texts of the capsules in the page; null when the content is not a page. */
export function capsulesOfPage(content: string): string[] | null {
  if (!PAGE.test(content.slice(0, 100))) return null;
  return [...content.matchAll(CAPSULE)].map(([, text = ""]) => text);
}
