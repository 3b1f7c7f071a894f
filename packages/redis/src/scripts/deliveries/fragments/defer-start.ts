import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { JOIN_RETRIES } from './join-retries.ts';
import { LINE_UP } from './line-up.ts';
import { LINES } from './lines.ts';

/**
 * `deferStart(line, delivery, obstacle, request)`: has a delivery wait for rate or room that asked to start. Answers
 * when it is scheduled for. As `lineUp`, but without a `rank` it is found here, by the line that the delivery is in or
 * joins.
 */
export const DEFER_START = defineFragment({
  uses: [KEY_OF, LINES, JOIN_RETRIES, LINE_UP],
  rareFunction: 'deferStart(line, delivery, obstacle, request)',
  body: `
  -- A removal first, so that a full Redis refuses nothing: it is scheduled again.
  redis.call('ZREM', keyOf('due', line.webhook), delivery.id)
  -- Found before it joins, from when on the count of its line is out of date.
  delivery.rank = delivery.rank or rankOf(line, delivery.id, delivery.isFirst)
  if not delivery.isFirst then joinRetries(line.webhook, delivery.id) end
  if obstacle == 'in_flight' then line.parked = nil end
  return lineUp(line, delivery, obstacle, request)
`,
});
