import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './counted-lines.ts';
import { MARK_DEAD } from './mark-dead.ts';

/** How many deliveries of one webhook a message makes expire, at most: a bound that was lowered is reached in parts. */
const MAX_EXPIRED = 100;

/** `expireOldest(webhook, kind, excess)`: gives up that many of a list, the oldest. Answers their ids. */
export const EXPIRE_OLDEST = defineFragment({
  uses: [KEY_OF, COUNTED_LINES, MARK_DEAD],
  rareFunction: 'expireOldest(webhook, kind, excess)',
  body: `
  local oldest = redis.call('ZRANGE', keyOf(kind, webhook), 0, math.min(excess, ${MAX_EXPIRED}) - 1)
  work = work + #oldest
  for _, id in ipairs(oldest) do
    for _, each in ipairs({kind, 'parked', 'due'}) do leave(each, webhook, id) end
    markDead(webhook, id, 'expired')
  end
  return oldest
`,
});
