// XDR values changed through their JSON form (SEP-51), for tests that need a real value with one
// thing different.

type Json = ReturnType<typeof JSON.parse>;

interface XdrType {
  fromXdr(xdr: string, format: "base64"): { toJson(): unknown };
  fromJson(json: Json): { toXdr(format: "base64"): string };
}

/** `change` works on a copy. */
export function changedXdr(type: unknown, xdr: string, change: (json: Json) => void): string {
  const known = type as XdrType;
  const json = structuredClone(known.fromXdr(xdr, "base64").toJson());
  change(json);
  return known.fromJson(json).toXdr("base64");
}

export function madeXdr(type: unknown, json: Json): string {
  return (type as XdrType).fromJson(json).toXdr("base64");
}
