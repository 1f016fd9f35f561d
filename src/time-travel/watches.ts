// The identifier of a storage entry in a data breakpoint.

export interface Watch {
  readonly contract: string;
  readonly durability: string;
  /** ScVal. */
  readonly keyXdr: string;
}

export function watchOf({ contract, durability, keyXdr }: Watch): string {
  return `${contract} ${durability} ${keyXdr}`;
}

/** Null when the text is none. */
export function describeWatch(text: string): Watch | null {
  const [contract, durability, keyXdr] = text.split(" ");
  if (contract === undefined || durability === undefined || keyXdr === undefined) return null;
  return { contract, durability, keyXdr };
}
