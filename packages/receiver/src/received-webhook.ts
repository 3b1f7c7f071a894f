/**
 * What a delivery can be about: the given events, and those of {@link WebhookData}. `Webhook.Ping` is sent by hand, to
 * try a receiver.
 */
export type WebhookType =
  | 'Account.Created'
  | 'Account.Updated'
  | 'Account.Confirmed'
  | 'Account.Deleted'
  | 'Contact.Added'
  | 'Contact.Updated'
  | 'Contact.Removed'
  | 'Contact.Tagged'
  | 'Webhook.Ping'
  | (keyof WebhookData & string);

/**
 * The data of each type. Declare what the app publishes by declaration merging; a type that is not named has an object
 * with unknown members. Names of the app's own become types of {@link ReceivedWebhook}.
 *
 * Security: this is trusted, not checked. Only the sender is verified.
 *
 * @example
 * ```ts
 * declare module '@latchhook/receiver' {
 *   interface WebhookData {
 *     'Contact.Added': { readonly contactId: string; readonly email: string };
 *   }
 * }
 * ```
 */
export interface WebhookData {
  readonly 'Webhook.Ping': Readonly<Record<string, never>>;
}

/** The data of one type. */
export type WebhookDataOf<Type extends string> = Type extends keyof WebhookData
  ? WebhookData[Type]
  : Readonly<Record<string, unknown>>;

/**
 * What the app names accounts by: integers, unless you declare strings by declaration merging.
 *
 * @example
 * ```ts
 * declare module '@latchhook/receiver' {
 *   interface WebhookAccountIds {
 *     readonly string: string;
 *   }
 * }
 * ```
 */
export interface WebhookAccountIds {
  readonly integer: number;
}

/** A delivery of one type, as it was sent. */
export interface WebhookOf<Type extends string> {
  /** The same at every attempt to deliver it, and the same as `webhook-id`. */
  readonly id: string;
  readonly type: Type;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  readonly account_id: WebhookAccountIds extends { readonly string: infer Id } ? Id : number;
  readonly data: WebhookDataOf<Type>;
}

/** A delivery of any type: `switch (webhook.type)` finds out which, and what its data is. */
export type ReceivedWebhook = { [Type in WebhookType]: WebhookOf<Type> }[WebhookType];
