/**
 * A schema of any library that speaks Standard Schema (https://standardschema.dev), such as Zod, Valibot and
 * ArkType: the part of that interface that is used here, so that no library has to be chosen.
 */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): SchemaResult | Promise<SchemaResult>;
  };
}

/** What a schema says of a value: the value as the schema makes it, or what is wrong with it. */
export type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One thing that is wrong. Its message may quote the value, so it is not passed on. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
