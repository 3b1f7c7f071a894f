import type { MaybePromise } from '../../maybe-promise.ts';

/**
 * A schema of any library with Standard Schema (https://standardschema.dev), such as Zod, Valibot and ArkType. This is
 * the part of that interface that is used, so that no library is required. It validates an `Input` and returns an
 * `Output`.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): MaybePromise<SchemaResult<Output>>;
    /** Types only, without a value at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, if the library supports it. May throw for a schema that JSON Schema cannot express. */
    readonly jsonSchema?: {
      output(options: { readonly target: 'draft-2020-12' }): Readonly<Record<string, unknown>>;
    };
  };
}

/** The result of a validation: the output value, or the issues. */
export type SchemaResult<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** An issue of a validation. Its message may quote the value, so it is not passed on. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Validates the data of an event, and returns the output of its schema.
 *
 * @throws {TypeError} if the schema rejects the data, with the paths of the issues but without values; if the schema
 *   itself throws, with its error as the cause
 */
export async function schemaOutput(
  { '~standard': standard }: StandardSchema,
  data: unknown,
  event: string,
): Promise<unknown> {
  let result: SchemaResult;
  try {
    result = await standard.validate(data);
  } catch (cause) {
    throw new TypeError(`the schema of ${event} failed`, { cause });
  }
  if (result.issues === undefined) return result.value;
  throw new TypeError(`the schema of ${event} rejects ${issuePaths('data', result.issues)}`);
}

/** The paths of the issues, each once, from `root` on; without values. */
export function issuePaths(root: string, issues: readonly SchemaIssue[]): string {
  const paths = issues.map(({ path = [] }) => [root, ...path.map(segmentText)].join('.'));
  return [...new Set(paths)].join(', ');
}

function segmentText(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}
