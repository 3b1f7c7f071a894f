import type { WebhookEventName } from '../../webhook-events.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { UserSecurityEventType } from './user-security-events.ts';

/**
 * The definition of an event of the app. It may have a schema of its data, or name the security event that it
 * publishes.
 */
export type EventType = {
  /** A sentence or two for authors of receivers. */
  readonly description?: string;
  /**
   * Example data, as you would pass it to `auth.events.publish`. Receivers see what `publish` would send for it.
   * `createAuth` rejects an example that the schema rejects, unless the schema validates by a promise.
   */
  readonly example?: object;
} & (
  | {
      /**
       * The schema of its data, of any library with Standard Schema. `auth.events.publish` accepts the input of the
       * schema, rejects other data, and sends the output. Receivers get it as JSON Schema if the library supports that:
       * Valibot, and all libraries with Standard JSON Schema. Default: any object.
       */
      readonly schema?: StandardSchema<object>;
      readonly securityEvent?: never;
    }
  | {
      readonly schema?: never;
      /**
       * The security event that Latchhook publishes under this name, and that `auth.events.publish` rejects. It is
       * published to the account of the event or, if it has none, to all accounts of its user, who is looked up for
       * that. Receivers get the ids of the user and of the subject, and the client with its address. Best effort: the
       * cause of the event, such as a login, does not wait for publishing, and the event is lost if it cannot be stored
       * (`fault`), or if the process ends first.
       */
      readonly securityEvent: UserSecurityEventType;
    }
);

/** The events of an app, by name. */
export type EventTypes = Readonly<Record<string, EventType>>;

/** The default events of an app; data is any object. */
export type BuiltInEvents = Readonly<Record<WebhookEventName, EventType>>;

/** The names of these events. */
export type EventName<Events extends EventTypes> = Extract<keyof Events, string>;

/**
 * The names of the events that the app publishes, without security events, which Latchhook publishes.
 *
 * By `Extract`, so that the compiler's messages list the names. Without it, they show the abridged type of all events.
 */
export type PublishedEventName<Events extends EventTypes> = Extract<
  {
    [Name in EventName<Events>]: Events[Name] extends {
      readonly securityEvent: UserSecurityEventType;
    }
      ? never
      : Name;
  }[EventName<Events>],
  string
>;

/** The type of the data to publish for one of these events: the input of its schema, or any object. */
export type EventData<
  Events extends EventTypes,
  Name extends EventName<Events>,
> = Events[Name] extends { readonly schema: StandardSchema<infer Input extends object> }
  ? Input
  : object;
