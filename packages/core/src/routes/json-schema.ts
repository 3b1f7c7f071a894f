import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { toJsonSchema } from '../loading/dependencies.ts';

/**
 * What JSON Schema cannot say (a check by a function, a normalisation) is left out; its prose stays. The converter must
 * have been loaded.
 */
export function jsonSchema(schema: v.GenericSchema): Omit<JsonSchema, '$schema'> {
  const { $schema, ...described } = toJsonSchema.get().toJsonSchema(schema, {
    errorMode: 'ignore',
    typeMode: 'input',
  });
  return described;
}
