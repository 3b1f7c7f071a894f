import type { MaybePromise } from '../../maybe-promise.ts';

/**
 * A schema of any library that speaks Standard Schema (https://standardschema.dev), such as Zod, Valibot and
 * ArkType: the part of that interface that is used here, so that no library has to be chosen. It takes an `Input`, of
 * which it makes an `Output`.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): MaybePromise<SchemaResult<Output>>;
    /** For the compiler alone. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, of libraries that have it. May throw for what JSON Schema cannot say. */
    readonly jsonSchema?: {
      output(options: { readonly target: 'draft-2020-12' }): Readonly<Record<string, unknown>>;
    };
  };
}

/** What a schema says of a value: the value as the schema makes it, or what is wrong with it. */
export type SchemaResult<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One thing that is wrong. Its message may quote the value, so it is not passed on. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * What a schema makes of the data of an event.
 *
 * @throws {TypeError} where it rejects, with the paths of what is wrong and nothing of what was there
 */
export async function schemaOutput(
  { '~standard': standard }: StandardSchema,
  data: unknown,
  event: string,
): Promise<unknown> {
  const result = await standard.validate(data);
  if (result.issues === undefined) return result.value;
  const paths = result.issues.map(({ path = [] }) => ['data', ...path.map(keyOf)].join('.'));
  throw new TypeError(`the schema of ${event} rejects ${[...new Set(paths)].join(', ')}`);
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}
