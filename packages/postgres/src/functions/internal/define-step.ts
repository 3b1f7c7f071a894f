import type { SqlDefinition } from '../../define-function.ts';

interface StepSpec {
  readonly name: string;
  readonly params: string;
  readonly returns: string;
  readonly declare?: string;
  readonly body: string;
}

/**
 * A step that several transitions share, in PL/pgSQL. It finds our tables by the `search_path` of its caller: to set
 * its own would take longer than most of these steps.
 *
 * In steps and transitions `w` is the row of a webhook, `q` of its queue, `d` of a delivery, `m` of a message. `p_`
 * begins parameters, `v_` variables.
 */
export function defineStep(spec: StepSpec): SqlDefinition {
  const { name, params, returns, declare = '', body } = spec;
  return {
    define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.${name}(
  ${params}
) RETURNS ${returns} LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  ${declare.trim()}
BEGIN
  ${body.trim()}
END
$function$`,
  };
}
