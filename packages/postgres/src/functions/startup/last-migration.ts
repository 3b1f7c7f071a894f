import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Returns the number of the last migration. This needs a function because the role of the app has no access to the
 * table.
 *
 * Outcomes: `found`.
 */
export const lastMigrationFunction = defineFunction({
  name: 'last_migration',
  args: {},
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'found', 'number', (SELECT max(number) FROM migrations));
`,
});

export async function lastMigration(call: CallFunction): Promise<number> {
  const result = await call(lastMigrationFunction, {});
  result.expectOutcome('found');
  return result.integer('number');
}
