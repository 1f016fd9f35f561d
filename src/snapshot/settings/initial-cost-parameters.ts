// ContractCostParams as stellar-core writes them for a network whose genesis ledger already runs a
// Soroban protocol. NetworkConfig.cpp: initial{Cpu,Mem}CostParamsEntryForV20 after
// updateRecalibratedCostTypesForV20, then update{Cpu,Mem}CostParamsEntryForV{21,22,25,26}. Those of
// protocol 30 (CAP-87) are the defaults of its contract host (budget.rs), because the source of
// that stellar-core was not available. A test compares the whole table with the defaults of the
// latest host, which since protocol 28 are what stellar-core writes.

/** Pairs of a constant and a linear term, by ContractCostType. */
export type CostParameters = readonly (readonly [number, number])[];

interface InitialParameters {
  readonly cpu: CostParameters;
  readonly memory: CostParameters;
}

/**
 * The parameters by the protocol that changed them last. They are kept because a daemon needs them
 * for each request.
 */
const read = new Map<number, InitialParameters>();

/** The parameters of both kinds in a protocol from 20. */
export function initialCostParameters(protocol: number): InitialParameters {
  const since = [...CPU, ...MEMORY].map(([first]) => first).filter((first) => first <= protocol);
  const changed = Math.max(...since);
  const known = read.get(changed);
  if (known !== undefined) return known;
  const parameters = { cpu: parametersAt(CPU, changed), memory: parametersAt(MEMORY, changed) };
  read.set(changed, parameters);
  return parameters;
}

/**
 * The protocol of the change, the first cost type, and `constant+linear` of that type and of those
 * after it.
 */
type CostRun = readonly [number, number, string];

function parametersAt(runs: readonly CostRun[], protocol: number): CostParameters {
  const parameters: (readonly [number, number])[] = [];
  for (const [since, first, terms] of runs) {
    if (since > protocol) continue;
    for (const [offset, pair] of terms.trim().split(/\s+/).entries()) {
      const [constant, linear] = pair.split("+").map(Number);
      parameters[first + offset] = [constant as number, linear as number];
    }
  }
  return parameters;
}

const CPU: readonly CostRun[] = [
  [
    20,
    0,
    `
    4+0 434+16 42+16 44+16 295+0 60+0 221+26 331+4369 3636+7013 40256+0 377551+4059 417482+45712
    417482+45712 1945+0 6481+5943 711+0 2314804+0 4176+0 4716+0 4680+0 4256+0 884+0 1059+502
    `,
  ],
  [21, 12, "41142+634"],
  [
    21,
    23,
    `
    73077+25410 0+540752 0+176363 0+29989 0+1061449 0+237336 0+328476 0+701845 0+429383 0+28
    43030+0 0+7556 0+10711 0+3300 0+0 0+23038 0+42488 0+828974 0+297100 0+14 1882+0 3000906+0
    `,
  ],
  [
    22,
    45,
    `
    661+0 985+0 1934+0 730510+0 5921+0 1057822+0 92642+0 100742+0 7689+0 2458985+0
    2426722+96397671 1541554+0 3211191+6713 25207+0 7873219+0 8035968+309667335 2420202+0
    7050564+6797 10558948+632860943 1994+0 1155+0 74+0 332+0 691+74558 35421+0
    `,
  ],
  [
    25,
    70,
    `
    344+0 476+0 904+0 2811+0 2937755+0 61+0 3623+0 1150435+0 5263916+392472814 2052+0 1133+0
    74+0 332+0 755+68930 33151+0
    `,
  ],
  [26, 55, "2347584+94135478 1020885+0 2638451+6803"],
  [26, 60, "7663880+298580871 1856539+0 6315452+7232"],
  [26, 74, "1706052+0"],
  [26, 85, "1185193+41568084"],
  [
    30,
    86,
    `
    849110+0 1505271+0 2625760+0 37888+0 47691+0 66346+0 685165+6103 983619+6103 1437210+6102
    `,
  ],
];

const MEMORY: readonly CostRun[] = [
  [
    20,
    0,
    `
    0+0 16+128 0+0 0+0 0+0 0+0 242+384 0+384 0+0 0+0 0+0 132773+4903 132773+4903 14+0 0+0 0+0
    181+0 99+0 99+0 99+0 99+0 99+0 0+0
    `,
  ],
  [21, 12, "69472+1217"],
  [
    21,
    23,
    `
    17564+6457 0+47464 0+13420 0+6285 0+64670 0+29074 0+48095 0+103229 0+36394 0+257 70704+0
    0+14613 0+6833 0+1025 0+0 0+129632 0+13665 0+97637 0+9176 0+126 0+0 0+0
    `,
  ],
  [
    22,
    45,
    `
    0+0 0+0 0+0 0+0 0+0 0+0 0+0 0+0 0+0 0+0 109494+354667 5552+0 9424+0 0+0 0+0 219654+354667
    3344+0 6816+0 2204+9340474 0+0 248+0 0+0 0+0 0+128 0+0
    `,
  ],
  [
    25,
    70,
    `
    0+0 0+0 0+0 0+0 0+0 0+0 0+0 0+0 1821+6232546 0+0 312+0 0+0 0+0 0+0 0+0
    `,
  ],
  [26, 55, "109494+266603 2776+0 5896+0"],
  [26, 60, "219654+266603 1672+0 3960+0"],
  [26, 85, "73061+229779"],
  [30, 86, "24656+0 43088+0 73808+0 4104+0 5128+0 7176+0 0+0 0+0 0+0"],
];
