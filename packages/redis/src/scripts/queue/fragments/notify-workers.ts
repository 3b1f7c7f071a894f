import { defineFragment } from '../../../define-fragment.ts';

/**
 * `notifyWorkers(channel)`: notifies the workers that something is due, but only if a worker with free capacity has
 * found nothing more to claim since the last notification (`idle`). Other workers claim anyway once they have capacity.
 *
 * Outer values: `rootKey`.
 */
export const NOTIFY_WORKERS = defineFragment({
  lua: `
local function notifyWorkers(channel)
  local wasIdle = redis.call('DEL', rootKey .. ':idle') == 1
  if wasIdle then redis.call('PUBLISH', channel, '') end
end
`,
});
