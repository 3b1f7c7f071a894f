/**
 * The types of deliveries: the default events, and the types in {@link WebhookData}. `Webhook.Ping` is a test of a
 * receiver.
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
 * The data of each type. Declare the data that the publisher sends by declaration merging, which also adds custom types
 * to {@link ReceivedWebhook}. The data of other types is an object with unknown members.
 *
 * Security: these types are not checked at run time. Only the signature is verified.
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
 * The type of account ids: integers, unless you declare strings by declaration merging.
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

/** A delivery of one type. */
export interface WebhookOf<Type extends string> {
  /** The id of the delivery: the same in every attempt, and equal to the header `webhook-id`. */
  readonly id: string;
  readonly type: Type;
  /** When the event happened, ISO 8601. */
  readonly timestamp: string;
  readonly account_id: WebhookAccountIds extends { readonly string: infer Id } ? Id : number;
  readonly data: WebhookDataOf<Type>;
}

/** A delivery of any type. `switch (webhook.type)` narrows the type of its data. */
export type ReceivedWebhook = { [Type in WebhookType]: WebhookOf<Type> }[WebhookType];
