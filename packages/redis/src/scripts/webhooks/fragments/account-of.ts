import { defineFragment } from '../../../define-fragment.ts';

/** `accountOf(webhook)`: the account id in the name of a webhook: `7` in `7/wh_1`. */
export const ACCOUNT_OF = defineFragment({
  lua: `
local function accountOf(webhook) return webhook:match('^([^/]*)/') end
`,
});
