import type * as v from 'valibot';
import { toJsonSchema } from '../../loading/dependencies.ts';
import { warn } from '../../warning.ts';
import type { EventType } from './event-types.ts';
import type { StandardSchema } from './standard-schema.ts';
import { USER_SECURITY_EVENTS } from './user-security-events.ts';

const TARGET = 'draft-2020-12';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of data without a schema, or with one that cannot be converted to JSON Schema. */
const ANY_OBJECT: JsonSchema = { type: 'object' };

/** The schemas that {@link dataSchema} has warned of. */
const warnedSchemas = new WeakSet<StandardSchema<object>>();

/** The JSON Schema of an event's data, as receivers get it. The converter must be loaded. */
export function dataSchema(name: string, type: EventType): JsonSchema {
  const schema = type.securityEvent ? USER_SECURITY_EVENTS[type.securityEvent].schema : type.schema;
  if (schema === undefined) return ANY_OBJECT;
  try {
    const { $schema, ...jsonSchema } = convertSchema(schema) ?? ANY_OBJECT;
    return jsonSchema;
  } catch {
    if (!warnedSchemas.has(schema)) warnOfSchema(name);
    warnedSchemas.add(schema);
    return ANY_OBJECT;
  }
}

/** `undefined`: the library of the schema has no conversion. */
function convertSchema(schema: StandardSchema<object>): JsonSchema | undefined {
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema !== undefined) return jsonSchema.output({ target: TARGET });
  if (vendor !== 'valibot') return undefined;
  return {
    ...toJsonSchema.get().toJsonSchema(schema as unknown as v.GenericSchema, {
      errorMode: 'ignore',
      typeMode: 'output',
      target: TARGET,
      // The result of a transformation is unknown.
      overrideAction: ({ valibotAction }) =>
        /transform/.test(valibotAction.type) ? {} : undefined,
    }),
  };
}

function warnOfSchema(name: string): void {
  warn(
    'LATCHHOOK_EVENT_SCHEMA',
    `the schema of ${name} cannot be written as JSON Schema, so event-types and openapi.json list its data as any object: Zod, for example, cannot write z.date(), but can write z.iso.datetime()`,
  );
}
