import type * as v from 'valibot';

const writings = new WeakMap<v.GenericSchema, object>();

/** Sets the JSON Schema of a schema from which the converter cannot derive it. */
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
