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

/** The event name of pings. No webhook can be registered for it. */
export const PING_EVENT = 'Webhook.Ping';

/**
 * The type of each event's data. Only that of the ping is declared here: an app declares what it publishes by
 * declaration merging, and `auth.events.publish` takes nothing else from then on.
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

/** The data of one event: as {@link WebhookEventData} declares it, else any object that JSON can hold. */
export type EventData<Name extends string> = Name extends keyof WebhookEventData
  ? WebhookEventData[Name]
  : object;

/**
 * What `auth.events.publish` takes for an event: `Name`, unless {@link WebhookEventData} declares data for an event
 * that does not exist. Then it is a text that says so, which no call can pass: a misspelt declaration would be ignored.
 */
export type DeclaredEvent<Name extends WebhookEventName, Data = WebhookEventData> =
  Exclude<keyof Data, WebhookEventName | typeof PING_EVENT> extends infer Unknown
    ? [Unknown] extends [never]
      ? Name
      : `WebhookEventData declares an event that does not exist: ${Unknown & string}`
    : never;
