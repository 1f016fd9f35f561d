// Tells whether a standard stream is a terminal, without a stream object of Node: creating one
// takes longer than svc takes to start. Node's own binding answers where it exists.

interface Binding {
  readonly isTTY?: (descriptor: number) => boolean;
}

/** `open` opens the stream, which is asked if the binding is missing. */
export function isTerminal(
  descriptor: 0 | 1 | 2,
  open: () => { readonly isTTY?: boolean },
): boolean {
  const { binding } = process as unknown as { readonly binding?: (name: string) => Binding };
  return bindingOf(binding)?.isTTY?.(descriptor) ?? open().isTTY === true;
}

function bindingOf(binding: ((name: string) => Binding) | undefined): Binding | null {
  try {
    return binding?.("tty_wrap") ?? null;
  } catch {
    return null;
  }
}
