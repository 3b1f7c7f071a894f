import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './counted-lines.ts';

/** `joinRetries(webhook, id)`: gives what is no first try a place behind those that wait, unless it has one. */
export const JOIN_RETRIES = defineFragment({
  uses: [KEY_OF, COUNTED_LINES],
  rareFunction: 'joinRetries(webhook, id)',
  body: `
  if redis.call('ZSCORE', keyOf('retries', webhook), id) then return end
  enter('retries', webhook, id, redis.call('HINCRBY', keyOf('webhook', webhook), 'retryPlace', 1))
`,
});
