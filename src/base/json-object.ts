// Objects of JSON.

export type JsonFields = Readonly<Record<string, unknown>>;

/** Says whether a value of JSON is an object. A list is none. */
export function isJsonObject(value: unknown): value is JsonFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
