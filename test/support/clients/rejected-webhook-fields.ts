import { RECEIVER_URL } from './webhook-calls.ts';

const longest = `${RECEIVER_URL}/`.padEnd(2083, 'x');

/** Rejected values by the name of the field. */
export const REJECTED_WEBHOOK_FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  event: ['', 'contact.added', 'Contact.Deleted', 'Webhook.Ping', ' Contact.Added', 1, null, []],
  url: ['', `${longest}x`, 'receiver.example', '/hook', 'ftp://receiver.example', 1, null, {}],
  rate_limit: [0, -1, 10_001, 1.5, '50', 1e21, null, true],
  rate_limit_period: ['', 'hour', 'Second', 1, null, ['second']],
};
