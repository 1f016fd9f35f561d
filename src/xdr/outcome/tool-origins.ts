// The work that a tool did when it printed an error, as far as the text shows it.

/** The host of soroban-sdk runs the tests of a contract. */
const UNIT_TEST = /panicked at [^\n]{0,300}soroban-env-host/;
const SIMULATION = /simulation failed|simulateTransaction/i;

/** True if a test of a contract printed the error. */
export function isOfUnitTest(error: string | null): boolean {
  return error !== null && UNIT_TEST.test(error);
}

/** True if a tool says that the error is of a simulation. */
export function isOfSimulation(error: string | null): boolean {
  return error !== null && SIMULATION.test(error);
}
