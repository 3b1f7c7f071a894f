import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { toJsonSchema } from '../loading/dependencies.ts';
import { nameOf } from '../schema/named.ts';
import { writingOf } from '../schema/written-as.ts';

/** Schemas as JSON Schema, for one document. The converter must have been loaded. */
export interface JsonSchemas {
  /** What JSON Schema cannot say (a check by a function, a normalisation) is left out; its prose stays. */
  of(schema: v.GenericSchema): Omit<JsonSchema, '$schema'>;
  /** Those with a name that what was asked for refers to, by name, and no others. */
  readonly components: Readonly<Record<string, object>>;
}

export function createJsonSchemas(): JsonSchemas {
  const components: Record<string, object> = {};

  /** Called from the inside out: what a component contains is a reference by then. */
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
