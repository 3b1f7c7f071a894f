import type * as v from 'valibot';

const writings = new WeakMap<v.GenericSchema, object>();

/** Says what a schema is as JSON Schema, where that comes from elsewhere. */
export function writtenAs<TSchema extends v.GenericSchema>(
  jsonSchema: object,
  schema: TSchema,
): TSchema {
  writings.set(schema, jsonSchema);
  return schema;
}

export function writingOf(schema: v.GenericSchema): object | undefined {
  return writings.get(schema);
}
