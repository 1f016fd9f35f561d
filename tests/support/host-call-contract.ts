// A contract in which each function passes its arguments to one host function and returns its
// result: minimal wasm, so that tests can make any host function fail. Host functions by module and
// name: rs-soroban-env, soroban-env-common/env.json.

export interface HostCall {
  /** The contract's function. */
  readonly name: string;
  /** Import, e.g. `["m", "1"]` for map_get. */
  readonly host: readonly [module: string, name: string];
  readonly parameters: number;
  /** Raw words that the host function takes after the arguments, such as a StorageType. */
  readonly raw?: readonly (number | bigint)[];
  /** The number of further parameters of the function, which it does not pass. */
  readonly ignored?: number;
  /** The host function of that call of the list gives the first argument; it has no parameters. */
  readonly fedBy?: number;
}

const I64 = 0x7e;
const FUNCTION_TYPE = 0x60;
const LOCAL_GET = 0x20;
const I64_CONST = 0x42;
const CALL = 0x10;
const END = 0x0b;
const MEMORY = [0x02, 0x00];

/** `pages`: of exported memory. The host needs it for functions that use linear memory. */
export function hostCallContract(calls: readonly HostCall[], protocol = 22, pages = 1): Uint8Array {
  const arities = calls.map(
    ({ parameters, raw = [], fedBy }) => parameters + raw.length + (fedBy === undefined ? 0 : 1),
  );
  const taken = calls.map(({ parameters, ignored = 0 }) => parameters + ignored);
  const types = [...arities, ...taken].map((count) => [
    FUNCTION_TYPE,
    ...vector(Array.from({ length: count }, () => [I64])),
    ...vector([[I64]]),
  ]);
  const imports = calls.map(({ host: [module, name] }, i) => [
    ...text(module),
    ...text(name),
    0x00,
    ...unsigned(i),
  ]);
  const functions = calls.map((_, i) => unsigned(calls.length + i));
  const exported = calls.map(({ name }, i) => [...text(name), 0x00, ...unsigned(calls.length + i)]);
  const bodies = calls.map(({ parameters, raw = [], fedBy }, i) => {
    const fed = fedBy === undefined ? [] : [CALL, ...unsigned(fedBy)];
    const given = Array.from({ length: parameters }, (_, at) => [LOCAL_GET, ...unsigned(at)]);
    const words = raw.map((word) => [I64_CONST, ...signed(BigInt(word))]);
    const code = [0x00, ...fed, ...given.flat(), ...words.flat(), CALL, ...unsigned(i), END];
    return [...unsigned(code.length), ...code];
  });
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(0, [...text("contractenvmetav0"), 0, 0, 0, 0, 0, 0, 0, protocol, 0, 0, 0, 0]),
    ...section(1, vector(types)),
    ...section(2, vector(imports)),
    ...section(3, vector(functions)),
    ...section(5, vector([[0x00, ...unsigned(pages)]])),
    ...section(7, vector([...exported, [...text("memory"), ...MEMORY]])),
    ...section(10, vector(bodies)),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(name: string): number[] {
  const bytes = [...new TextEncoder().encode(name)];
  return [...unsigned(bytes.length), ...bytes];
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Signed LEB128. */
function signed(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  const isLast = value >= -64n && value < 64n;
  return isLast ? [low] : [low | 0x80, ...signed(value >> 7n)];
}
