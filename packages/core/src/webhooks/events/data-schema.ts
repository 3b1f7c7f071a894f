import type * as v from 'valibot';
import { toJsonSchema } from '../../loading/dependencies.ts';
import type { EventType } from './event-types.ts';

/** What is known of data without a schema, or with one whose library says nothing as JSON Schema. */
const ANY_OBJECT = { type: 'object' };

/** The data of an event as receivers get it, as JSON Schema. The converter must have been loaded. */
export function dataSchema({ schema }: EventType): Readonly<Record<string, unknown>> {
  if (schema === undefined) return ANY_OBJECT;
  const { vendor, jsonSchema } = schema['~standard'];
  try {
    const { $schema, ...described } =
      jsonSchema?.output({ target: 'draft-2020-12' }) ??
      (vendor === 'valibot' ? ofValibot(schema) : { ...ANY_OBJECT, $schema: '' });
    return described;
  } catch {
    // A schema that no JSON Schema can say.
    return ANY_OBJECT;
  }
}

function ofValibot(schema: unknown): Readonly<Record<string, unknown>> {
  const options = { errorMode: 'ignore', typeMode: 'output', target: 'draft-2020-12' } as const;
  return { ...toJsonSchema.get().toJsonSchema(schema as v.GenericSchema, options) };
}
