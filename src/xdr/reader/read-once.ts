// Values whose parts are read when they are first asked for, and then kept.

/** Adds each part to `known` as a getter, which its value replaces. */
export function withParts<Parts, Known extends object>(
  known: Known,
  readers: { readonly [Name in keyof Parts]: () => Parts[Name] },
): Known & Parts {
  for (const [name, read] of Object.entries<() => unknown>(readers)) {
    const get = () => {
      const value = read();
      Object.defineProperty(known, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(known, name, { get, configurable: true, enumerable: true });
  }
  return known as Known & Parts;
}

/** `read`, called once for each array or object: a value that never changes. */
export function readOnce<Subject extends object, Value>(
  read: (subject: Subject) => Value,
): (subject: Subject) => Value {
  const values = new WeakMap<Subject, { readonly value: Value }>();
  return (subject) => {
    const known = values.get(subject) ?? { value: read(subject) };
    values.set(subject, known);
    return known.value;
  };
}
