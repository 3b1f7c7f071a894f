import type * as v from 'valibot';

const names = new WeakMap<v.GenericSchema, string>();

/**
 * Names a schema in the OpenAPI description, which then contains it once, as a component: generated clients have a type
 * of that name. Parsing is as fast as without a name.
 *
 * @param name - in PascalCase, unique
 * @param schema - without a pipe, because the component would lack the other steps of the pipe
 */
export function named<TSchema extends v.GenericSchema>(name: string, schema: TSchema): TSchema {
  names.set(schema, name);
  return schema;
}

/** Names a wrapper of a schema after the wrapped schema, if that has a name: `WebhookPage`. */
export function namedAfter<TSchema extends v.GenericSchema>(
  wrapped: v.GenericSchema,
  suffix: string,
  schema: TSchema,
): TSchema {
  const name = names.get(wrapped);
  return name === undefined ? schema : named(`${name}${suffix}`, schema);
}

export function schemaName(schema: v.GenericSchema): string | undefined {
  return names.get(schema);
}
