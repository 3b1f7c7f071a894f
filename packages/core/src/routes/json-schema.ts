import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

/** What JSON Schema cannot say (a check by a function, a normalisation) is left out; its prose stays. */
export function jsonSchema(schema: v.GenericSchema): Omit<JsonSchema, '$schema'> {
  const { $schema, ...described } = toJsonSchema(schema, {
    errorMode: 'ignore',
    typeMode: 'input',
  });
  return described;
}
