// Short addresses for one-line labels; the details have the full ones.

const ADDRESS = /\b([A-Z][A-Z2-7]{3})[A-Z2-7]{48}([A-Z2-7]{4})\b/g;

/** `CARMABI7…` → `CARM..JDFF`; StrKey of 56 characters (SEP-23). */
export function shortAddresses(text: string): string {
  return text.replace(ADDRESS, "$1..$2");
}
