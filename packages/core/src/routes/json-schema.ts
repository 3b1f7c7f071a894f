import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { toJsonSchema } from '../loading/dependencies.ts';
import { schemaName } from '../schema/named.ts';
import { jsonSchemaOf } from '../schema/with-json-schema.ts';

/** Converts schemas to JSON Schema, for one document. The converter must be loaded before. */
export interface JsonSchemas {
  /**
   * Checks that JSON Schema cannot express (by a function, or a normalisation) are left out; their descriptions stay.
   */
  of(schema: v.GenericSchema): Omit<JsonSchema, '$schema'>;
  /** The named schemas to which the converted ones refer, by name. */
  readonly components: Readonly<Record<string, object>>;
}

export function createJsonSchemas(): JsonSchemas {
  const components: Record<string, object> = {};

  /** The converter calls this for the parts of a schema first, so in `written` they are references already. */
  function referTo(name: string, written: object): JsonSchema {
    const component = components[name] ?? written;
    if (!isDeepStrictEqual(component, written)) throw new Error(`two schemas are named ${name}`);
    components[name] = written;
    return { $ref: `#/components/schemas/${name}` };
  }

  return {
    of(schema) {
      const { $schema, ...described } = toJsonSchema.get().toJsonSchema(schema, {
        errorMode: 'ignore',
        typeMode: 'input',
        overrideSchema({ valibotSchema, jsonSchema }) {
          const written = jsonSchemaOf(valibotSchema) ?? jsonSchema;
          const name = schemaName(valibotSchema);
          return name === undefined ? written : referTo(name, written);
        },
      });
      return described;
    },
    components,
  };
}
