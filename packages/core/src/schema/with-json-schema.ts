import type * as v from 'valibot';

const jsonSchemas = new WeakMap<v.GenericSchema, object>();

/** Sets the JSON Schema of a schema from which the converter cannot derive it. */
export function withJsonSchema<TSchema extends v.GenericSchema>(
  jsonSchema: object,
  schema: TSchema,
): TSchema {
  jsonSchemas.set(schema, jsonSchema);
  return schema;
}

export function jsonSchemaOf(schema: v.GenericSchema): object | undefined {
  return jsonSchemas.get(schema);
}
