import type { SqlDefinition } from '../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `lock_user(p_user_id)`: locks the user's row until the transaction ends, so that transitions that change several rows
 * of a user run one at a time. Inserts the row if it does not exist.
 *
 * Transitions that also lock rows of sessions, tokens or factors lock this row first, which prevents deadlocks.
 */
export const lockUser: SqlDefinition = defineStep({
  name: 'lock_user',
  params: 'p_user_id text',
  returns: 'users',
  declare: 'v_user users;',
  body: `
  LOOP
    SELECT * INTO v_user FROM users WHERE user_id = p_user_id FOR UPDATE;
    IF FOUND THEN RETURN v_user; END IF;
    INSERT INTO users (user_id) VALUES (p_user_id) ON CONFLICT DO NOTHING;
  END LOOP;
`,
});
