import type { WebhookEventName } from '../../webhook-events.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { UserSecurityEventType } from './user-security-events.ts';

/**
 * The definition of one of an app's events: optionally with a schema of its data, or with the security event that it
 * is.
 */
export type EventType = {
  /** A sentence or two for authors of receivers. */
  readonly description?: string;
  /** Example data, as receivers get it. */
  readonly example?: object;
} & (
  | {
      /**
       * The schema of its data, of any library with Standard Schema. `auth.events.publish` accepts the input of the
       * schema, rejects other data, and sends the output. It is published to receivers as JSON Schema where the library
       * supports that: Valibot, and all with Standard JSON Schema. Default: any object.
       */
      readonly schema?: StandardSchema<object>;
      readonly securityEvent?: never;
    }
  | {
      readonly schema?: never;
      /**
       * The security event that Latchhook publishes under this name, and that `auth.events.publish` rejects. It is
       * published to the account of the event, or else to all accounts of its user, who is looked up for that.
       * Receivers get the ids of the user and of the subject, and the client with its address. Best effort: the cause,
       * such as a login, does not wait for it, and it is lost if it cannot be stored (`fault`), or the process ends
       * first.
       */
      readonly securityEvent: UserSecurityEventType;
    }
);

/** The events of an app, by name. */
export type EventTypes = Readonly<Record<string, EventType>>;

/** The default events of an app; data is any object. */
export type GivenEvents = Readonly<Record<WebhookEventName, EventType>>;

/** The names of these events. */
export type EventName<Events extends EventTypes> = Extract<keyof Events, string>;

/** The names of the events that the app publishes, without security events, which Latchhook publishes. */
export type PublishedEventName<Events extends EventTypes> = {
  [Name in EventName<Events>]: Events[Name] extends {
    readonly securityEvent: UserSecurityEventType;
  }
    ? never
    : Name;
}[EventName<Events>];

/** The type of the data to publish for one of these events: the input of its schema, or any object. */
export type EventData<
  Events extends EventTypes,
  Name extends EventName<Events>,
> = Events[Name] extends { readonly schema: StandardSchema<infer Input extends object> }
  ? Input
  : object;
