/**
 * The fields of a value that is not checked yet, such as an option of a host that is written in JavaScript. `null` and
 * `undefined` have no fields, so that reading one never throws.
 */
export function uncheckedFields<Type>(value: unknown): Partial<Type> {
  return Object(value);
}
