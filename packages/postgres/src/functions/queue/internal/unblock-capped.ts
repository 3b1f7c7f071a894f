import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/**
 * `unblock_capped(p_account_id, p_count)`: frees `p_count` permits of an account. As many capped queues become due,
 * those that have waited longest first. Their due time is when they began to wait, so that the next claim keeps their
 * order. Returns whether any became due.
 */
export const unblockCapped: SqlDefinition = defineStep({
  name: 'unblock_capped',
  params: 'p_account_id text, p_count bigint',
  returns: 'boolean',
  body: `
  UPDATE queues SET capped_by = NULL, due_at_ms = least(due_at_ms, capped_since_ms)
   WHERE queue = ANY (ARRAY(
     SELECT queue FROM queues
      WHERE account_id = p_account_id AND capped_by = 'account' AND due_at_ms IS NOT NULL
      ORDER BY capped_since_ms LIMIT p_count));
  RETURN FOUND;
`,
});
