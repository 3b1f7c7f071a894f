import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { toJsonSchema } from '../loading/dependencies.ts';
import { nameOf } from '../schema/named.ts';
import { writingOf } from '../schema/written-as.ts';

/** Converts schemas to JSON Schema, for one document. The converter must have been loaded. */
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

  /** Called from the inside out: the parts of a component are already references. */
  function refer(name: string, written: object): JsonSchema {
    const known = components[name] ?? written;
    if (!isDeepStrictEqual(known, written)) throw new Error(`two schemas are named ${name}`);
    components[name] = written;
    return { $ref: `#/components/schemas/${name}` };
  }

  return {
    of(schema) {
      const { $schema, ...described } = toJsonSchema.get().toJsonSchema(schema, {
        errorMode: 'ignore',
        typeMode: 'input',
        overrideSchema({ valibotSchema, jsonSchema }) {
          const written = writingOf(valibotSchema) ?? jsonSchema;
          const name = nameOf(valibotSchema);
          return name === undefined ? written : refer(name, written);
        },
      });
      return described;
    },
    components,
  };
}
