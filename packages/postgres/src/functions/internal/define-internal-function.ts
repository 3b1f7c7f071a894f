/** A function that only ours call. */
export interface InternalFunction {
  readonly name: string;
  /** `CREATE OR REPLACE FUNCTION ...` for a schema. */
  define(schema: string): string;
}

interface InternalSpec {
  readonly name: string;
  /** Types of ours as `$schema.webhooks`, here and in `declare`: they are looked up before anybody calls. */
  readonly params: string;
  readonly returns: string;
  readonly declare?: string;
  readonly body: string;
}

/**
 * A step that several transitions take. It finds our tables by the `search_path` of whoever calls it, and has
 * none of its own: to set one takes longer than most of these take.
 */
export function defineInternalFunction(spec: InternalSpec): InternalFunction {
  const { name, params, returns, declare = '', body } = spec;
  const text = `(${params})
RETURNS ${returns} LANGUAGE plpgsql VOLATILE AS $function$
DECLARE
${declare}
BEGIN
${body.trim()}
END
$function$`;
  return {
    name,
    define: (schema) =>
      `CREATE OR REPLACE FUNCTION ${schema}.${name}${text.replaceAll('$schema', schema)}`,
  };
}
