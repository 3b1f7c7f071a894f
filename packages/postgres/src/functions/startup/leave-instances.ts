import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Removes an instance.
 *
 * Outcomes: `removed`.
 */
export const leaveInstancesFunction = defineFunction({
  name: 'leave_instances',
  args: { instanceId: 'text' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
DELETE FROM instances WHERE instance_id = p_instance_id;
RETURN json_build_object('outcome', 'removed');
`,
});

export async function leaveInstances(call: CallFunction, instanceId: string): Promise<void> {
  const result = await call(leaveInstancesFunction, { instanceId });
  result.expectOutcome('removed');
}
