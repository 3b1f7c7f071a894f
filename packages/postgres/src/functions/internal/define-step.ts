import type { SqlDefinition } from '../../define-function.ts';

interface StepSpec {
  readonly name: string;
  readonly params: string;
  readonly returns: string;
  readonly declare?: string;
  readonly body: string;
}

/**
 * Defines a step that transitions call, in PL/pgSQL. It relies on the `search_path` of its caller because setting its
 * own would take longer than most steps.
 *
 * Parameters have the prefix `p_`. In steps and transitions of webhooks and queues, `w` is the row of a webhook, `q` of
 * its queue, `d` of a delivery, and `m` of a message; other variables have the prefix `v_`.
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
