// Colors by meaning: a section gets ANSI codes, or plain text when colors are off.

export interface Style {
  heading(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  caution(text: string): string;
  faint(text: string): string;
  alert(text: string): string;
}

const RESET = "\u001b[0m";

export function openStyle(color: boolean): Style {
  const paint = (code: number | string) => (text: string) =>
    color ? `\u001b[${code}m${text}${RESET}` : text;
  return {
    heading: paint(1),
    good: paint(32),
    bad: paint(31),
    caution: paint(33),
    faint: paint(2),
    alert: paint("1;31"),
  };
}
