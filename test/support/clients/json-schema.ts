import { isDeepStrictEqual } from 'node:util';

/** The part of JSON Schema 2020-12 that Latchhook's OpenAPI document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
}

/** Keywords that {@link findMismatch} checks, and those that restrict no value. */
const KNOWN = new Set([
  '$ref',
  'type',
  'const',
  'enum',
  'anyOf',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'uniqueItems',
  'pattern',
  'description',
  'default',
  'propertyNames',
  'format',
]);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isRecord,
};

/**
 * Returns the place where a value does not match a schema, or `null`.
 *
 * @param document - the document that `$ref` points into.
 * @throws {Error} for an unknown keyword: if it were ignored, the schema would accept too much.
 */
export function findMismatch(
  schema: JsonSchema,
  value: unknown,
  document: unknown,
  at: string = '$',
): string | null {
  const unknown = Object.keys(schema).find((keyword) => !KNOWN.has(keyword));
  if (unknown !== undefined) throw new Error(`keyword ${unknown} at ${at}: teach this function`);
  if (schema.$ref !== undefined) {
    return findMismatch(dereference(document, schema), value, document, at);
  }
  if (schema.type !== undefined && TYPES[schema.type]?.(value) !== true) {
    return `${at} is no ${schema.type}`;
  }
  if ('const' in schema && !isDeepStrictEqual(value, schema.const)) return `${at} is another`;
  if (schema.enum?.some((each) => isDeepStrictEqual(each, value)) === false) {
    return `${at} is none of those listed`;
  }
  if (schema.anyOf?.every((each) => findMismatch(each, value, document, at) !== null)) {
    return `${at} is none of the alternatives`;
  }
  return outOfBounds(schema, value, at) ?? misfit(schema, value, document, at);
}

/** Resolves a schema that is a reference to a component. */
export function dereference(document: unknown, schema: JsonSchema = {}): JsonSchema {
  return schema.$ref === undefined ? schema : (resolveRef(document, schema.$ref) as JsonSchema);
}

/** @throws {Error} if the pointer has no target */
export function resolveRef(document: unknown, ref: string): unknown {
  const [root, ...names] = ref.split('/');
  const target =
    root === '#'
      ? names.reduce<unknown>((node, name) => (isRecord(node) ? node[name] : undefined), document)
      : undefined;
  if (target === undefined) throw new Error(`${ref} leads nowhere`);
  return target;
}

function outOfBounds(schema: JsonSchema, value: unknown, at: string): string | null {
  const size = typeof value === 'number' ? value : Number.NaN;
  if (size < (schema.minimum ?? size) || size > (schema.maximum ?? size)) return `${at} is too far`;
  const length = typeof value === 'string' ? [...value].length : Number.NaN;
  if (length < (schema.minLength ?? length) || length > (schema.maxLength ?? length)) {
    return `${at} is of another length`;
  }
  if (typeof value === 'string' && !new RegExp(schema.pattern ?? '', 'u').test(value)) {
    return `${at} has another form`;
  }
  return null;
}

function misfit(
  { properties = {}, required = [], additionalProperties = true, ...list }: JsonSchema,
  value: unknown,
  document: unknown,
  at: string,
): string | null {
  if (Array.isArray(value)) {
    const { items, minItems = 0, uniqueItems } = list;
    if (value.length < minItems) return `${at} is too short`;
    if (uniqueItems && new Set(value).size !== value.length) return `${at} repeats itself`;
    if (items === undefined) return null;
    return first(value, (item, index) => findMismatch(items, item, document, `${at}[${index}]`));
  }
  if (!isRecord(value)) return null;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at}.${missing} is missing`;
  return first(Object.entries(value), ([name, member]) => {
    const schema = properties[name] ?? additionalProperties;
    if (schema === false) return `${at}.${name} is unexpected`;
    return schema === true ? null : findMismatch(schema, member, document, `${at}.${name}`);
  });
}

function first<Item>(
  items: readonly Item[],
  find: (item: Item, index: number) => string | null,
): string | null {
  for (const [index, item] of items.entries()) {
    const mismatch = find(item, index);
    if (mismatch !== null) return mismatch;
  }
  return null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
