// Colour as an argument: the sections ask for a meaning and get ANSI codes or nothing.

export interface Style {
  heading(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  withCaveats(text: string): string;
  faint(text: string): string;
}

const RESET = "\u001b[0m";

export function openStyle(color: boolean): Style {
  const paint = (code: number) => (text: string) =>
    color ? `\u001b[${code}m${text}${RESET}` : text;
  return {
    heading: paint(1),
    good: paint(32),
    bad: paint(31),
    withCaveats: paint(33),
    faint: paint(2),
  };
}
