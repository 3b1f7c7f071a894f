import { ACTIVATE } from './activate.ts';

/** `schedule(webhook, id, atMs, activeMs)`: a delivery is to be asked for then. Answers as `activate`. Needs `keyOf`. */
export const SCHEDULE = `
${ACTIVATE}
local function schedule(webhook, id, atMs, activeMs)
  redis.call('ZADD', keyOf('due', webhook), atMs, id)
  return activate(webhook, atMs, activeMs)
end
`;
