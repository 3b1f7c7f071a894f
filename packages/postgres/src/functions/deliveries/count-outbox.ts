import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Counts the messages that wait in the outbox, as far as the limit. Outcome: `counted`.
 *
 * In no order: so the server reads that many rows and stops, by whatever plan. Those first by `place` it might sort.
 */
export const countOutboxFunction = defineFunction({
  name: 'count_outbox',
  args: { limit: 'bigint' },
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
RETURN json_build_object('outcome', 'counted', 'count', (
  SELECT count(*) FROM (SELECT FROM outbox LIMIT p_limit) AS waiting));
`,
});

export async function countOutbox(
  call: CallFunction,
  { limit }: { readonly limit: number },
): Promise<number> {
  return (await call(countOutboxFunction, { limit })).integer('count');
}
