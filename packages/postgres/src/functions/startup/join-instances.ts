import type { StoreInstance } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { storedText } from '../../storable-text.ts';

/**
 * Registers an instance that uses the schema, and removes expired instances.
 *
 * Outcomes: `joined`, with the configurations of the other instances.
 *
 * With the table lock, instances join one at a time. Otherwise two instances that join together could miss each other.
 */
export const joinInstancesFunction = defineFunction({
  name: 'join_instances',
  args: { instanceId: 'text', configuration: 'text', ttlMs: 'bigint' },
  body: `
LOCK TABLE instances IN SHARE ROW EXCLUSIVE MODE;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
DELETE FROM instances WHERE ends_at_ms <= now_ms OR instance_id = p_instance_id;
INSERT INTO instances (instance_id, configuration, ends_at_ms)
VALUES (p_instance_id, p_configuration, now_ms + p_ttl_ms);
RETURN json_build_object('outcome', 'joined', 'others', coalesce((
  SELECT json_agg(json_build_object('configuration', configuration)) FROM instances WHERE instance_id <> p_instance_id
), '[]'));
`,
});

export async function joinInstances(
  call: CallFunction,
  instance: StoreInstance,
): Promise<readonly string[]> {
  const result = await call(joinInstancesFunction, instance);
  result.expectOutcome('joined');
  return result.list('others').map((other) => storedText(other.text('configuration')));
}
