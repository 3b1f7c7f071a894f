/** The events of an app without the option `webhooks.events`. */
export const WEBHOOK_EVENTS = [
  'Account.Created',
  'Account.Updated',
  'Account.Confirmed',
  'Account.Deleted',
  'Contact.Added',
  'Contact.Updated',
  'Contact.Removed',
  'Contact.Tagged',
] as const;

/** One of {@link WEBHOOK_EVENTS}. */
export type WebhookEventName = (typeof WEBHOOK_EVENTS)[number];

/** The event name of pings. No webhook can be registered for it. */
export const PING_EVENT = 'Webhook.Ping';
