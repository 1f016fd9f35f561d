// The work that a tool did when it printed an error, as far as the text shows it.

/** The host of soroban-sdk runs the tests of a contract. */
const UNIT_TEST = /panicked at [^\n]{0,300}soroban-env-host/;
/**
 * The addresses that its `Env` gives to contracts: 24 bytes of zeros and a number. Nobody can deploy
 * a contract there, so it matters that the contract ran; as an argument the address means nothing.
 */
const TEST_CONTRACT = /\b(?:contract:|topics:\[fn_call, )\s*CA{38,}\w{1,17}\b/;
const SIMULATION = /simulation failed|simulateTransaction/i;

/** A console shows what is deep within an answer only as this. */
export const HIDDEN_CODES = /\b(?:operations|result_codes|extras)["']?: \[(?:Array|Object)\]/;

/**
 * The forms in which a console shows the result within an answer of the SDK: by the name of its
 * class, or with its value left out.
 */
export const HIDDEN_RESULT =
  /\[TransactionResult(?:Result)?\]|\bresult["']?: (?:\[ChildUnion\]|ChildUnion \{[^{}]{0,200}\b_value: \[Array\])/;

/** True if a test of a contract printed the error. */
export function isOfUnitTest(error: string | null): boolean {
  return error !== null && (UNIT_TEST.test(error) || TEST_CONTRACT.test(error));
}

/** True if a tool says that the error is of a simulation. */
export function isOfSimulation(error: string | null): boolean {
  return error !== null && SIMULATION.test(error);
}
