import { defineFragment } from '../../../define-fragment.ts';

/**
 * `wake(channel)`: something is due. Workers are told only where one has found nothing more since they were told last:
 * the others claim anyway, once they have capacity.
 */
export const WAKE = defineFragment({
  lua: `
local function wake(channel)
  if redis.call('DEL', rootKey .. ':idle') == 1 then redis.call('PUBLISH', channel, '') end
end
`,
});
