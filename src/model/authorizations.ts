// Authorizations as a reader sees them: those that a transaction has, and those that it needs.

/** A call that an authorization allows, and the calls that it allows below that call. */
export interface NamedInvocation {
  /** Null, like the function, for the creation of a contract. */
  readonly contract: string | null;
  readonly function: string | null;
  readonly arguments: readonly string[];
  /** The names, as in a NamedCall. */
  readonly argumentNames: readonly string[] | null;
  readonly calls: readonly NamedInvocation[];
}

/** An authorization in the transaction, whether it was needed or not. */
export interface NamedAuthorization {
  /** The address that authorizes. Null means the source account, which signs the transaction. */
  readonly signer: string | null;
  /** False if the entry has no signature. */
  readonly signed: boolean;
  /** The last ledger in which the entry is valid; null for the source account. */
  readonly validUntilLedger: number | null;
  readonly invocation: NamedInvocation;
}

/** An authorization that a call of the replay required. */
export interface NamedRequirement {
  /** The address that had to authorize the call. */
  readonly signer: string;
  /**
   * The reason why no entry is needed: the address is the contract that made the call, or a
   * contract that allowed calls below its own. Null if an entry is needed.
   */
  readonly by: "call" | "contract" | null;
  /** True if the host refused the authorization. */
  readonly refused: boolean;
  /** The call without the calls below it. */
  readonly invocation: NamedInvocation;
}

export interface RequiredAuthorizations {
  /** The requirements in the order of the calls. */
  readonly list: readonly NamedRequirement[];
  /** False if there may be more requirements that nothing shows. */
  readonly complete: boolean;
}
