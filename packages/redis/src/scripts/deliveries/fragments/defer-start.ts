import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { JOIN_RETRIES } from './join-retries.ts';
import { LINE_UP } from './line-up.ts';
import { LINES } from './lines.ts';

/**
 * `deferStart(line, delivery, obstacle, request)`: has a delivery wait for rate or room that asked to start. Answers when
 * it is scheduled for. As `lineUp`, but without a `rank` it is found here, in the line that the delivery joins.
 */
export const DEFER_START = defineFragment({
  uses: [KEY_OF, LINES, JOIN_RETRIES, LINE_UP],
  rareFunction: 'deferStart(line, delivery, obstacle, request)',
  body: `
  -- A removal first, so that a full Redis refuses nothing: it is scheduled anew.
  redis.call('ZREM', keyOf('due', line.webhook), delivery.id)
  if not delivery.isFirst then
    joinRetries(line.webhook, delivery.id)
    line.retries = nil
  end
  delivery.rank = delivery.rank or rankOf(line, delivery.id, delivery.isFirst)
  if obstacle == 'in_flight' then line.parked = nil end
  return lineUp(line, delivery, obstacle, request)
`,
});
