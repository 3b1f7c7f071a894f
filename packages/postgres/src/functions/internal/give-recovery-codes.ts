import type { SqlDefinition } from '../../define-function.ts';
import { defineStep } from './define-step.ts';

/** `give_recovery_codes(p_user_id, p_codes)`: replaces all codes of a user. `p_codes` is a JSON array of hashes. */
export const giveRecoveryCodes: SqlDefinition = defineStep({
  name: 'give_recovery_codes',
  params: 'p_user_id text, p_codes json',
  returns: 'void',
  body: `
  DELETE FROM recovery_codes WHERE user_id = p_user_id;
  INSERT INTO recovery_codes (user_id, code_hash)
  SELECT DISTINCT p_user_id, code FROM json_array_elements_text(p_codes) AS code;
`,
});
