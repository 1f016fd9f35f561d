// Words times for reports, in UTC, to the second, or to the millisecond if that is known. Words
// durations in the unit that a reader expects, rounded to what matters.

/** A Date holds at most 8.64e12 seconds, but a TimePoint can hold more. */
export function timeInWords(unixSeconds: bigint, milliseconds: number | null = null): string {
  if (unixSeconds >= 8_640_000_000_000n) return `${unixSeconds} seconds after 1970`;
  const text = new Date(Number(unixSeconds) * 1000).toISOString().slice(0, 19);
  const fraction = milliseconds === null ? "" : `.${String(milliseconds).padStart(3, "0")}`;
  return `${text.replace("T", " ")}${fraction} UTC`;
}

/** The fields are decimal texts. The milliseconds also count from 1970 (protocol 30, CAP-88). */
export function closeTimeInWords(ledger: {
  readonly closeTimeUnixSeconds: string;
  readonly closeTimeUnixMilliseconds?: string;
}): string {
  const { closeTimeUnixSeconds, closeTimeUnixMilliseconds: exact } = ledger;
  const milliseconds = exact === undefined ? null : Number(BigInt(exact) % 1000n);
  return timeInWords(BigInt(closeTimeUnixSeconds), milliseconds);
}

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** `less than 1 ms`, `12 ms`, `4 s`, `4.5 s`, `2 min 5 s`, `3 h 20 min`. */
export function durationInWords(milliseconds: number): string {
  const rounded = Math.round(milliseconds);
  if (rounded < 1) return "less than 1 ms";
  if (rounded < SECOND) return `${rounded} ms`;
  const tenths = Math.round(milliseconds / 100) / 10;
  if (tenths < 60) return `${tenths} s`;
  const seconds = Math.round(milliseconds / SECOND) * SECOND;
  if (seconds < HOUR) return inTwo(seconds, [MINUTE, "min"], [SECOND, "s"]);
  return inTwo(Math.round(milliseconds / MINUTE) * MINUTE, [HOUR, "h"], [MINUTE, "min"]);
}

type Unit = readonly [size: number, name: string];

function inTwo(milliseconds: number, [large, name]: Unit, [small, smallName]: Unit): string {
  const left = Math.floor((milliseconds % large) / small);
  const whole = `${Math.floor(milliseconds / large)} ${name}`;
  return left === 0 ? whole : `${whole} ${left} ${smallName}`;
}
