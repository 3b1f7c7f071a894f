/** The events that a webhook can be registered for. */
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

/** The name of an event that a webhook can be registered for. */
export type WebhookEventName = (typeof WEBHOOK_EVENTS)[number];

/** What a ping is delivered as. No webhook can be registered for it. */
export const PING_EVENT = 'Webhook.Ping';

/**
 * What the data of each event looks like, for whoever publishes it. Only the ping is known here: an app says
 * what it publishes by declaration merging, and `auth.events.publish` takes nothing else from then on.
 *
 * @example
 * ```ts
 * declare module '@latchhook/core' {
 *   interface WebhookEventData {
 *     'Contact.Added': { readonly contactId: string; readonly email: string };
 *   }
 * }
 * ```
 */
export interface WebhookEventData {
  readonly [PING_EVENT]: Readonly<Record<string, never>>;
}

/** The data of one event: as {@link WebhookEventData} has it, else any object that JSON can hold. */
export type EventData<Name extends string> = Name extends keyof WebhookEventData
  ? WebhookEventData[Name]
  : object;
