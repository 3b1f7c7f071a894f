import type { WebhookEventName } from '../../webhook-events.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { UserSecurityEventType } from './user-security-events.ts';

/** What an app says of one of its events: with a schema of its data or none, or which security event it is. */
export type EventType = {
  /** For those who write receivers: a sentence or two. */
  readonly description?: string;
  /** Data as receivers get it. */
  readonly example?: object;
} & (
  | {
      /**
       * What its data has to be, in any library that speaks Standard Schema. `auth.events.publish` takes what the
       * schema takes, rejects what it rejects, and sends what it makes of that. Receivers are shown it as JSON Schema,
       * where the library has that: Valibot, and whatever speaks Standard JSON Schema. Default: any object.
       */
      readonly schema?: StandardSchema<object>;
      readonly securityEvent?: never;
    }
  | {
      readonly schema?: never;
      /**
       * The security event that is published under this name by itself, and never by `auth.events.publish`, to the
       * account that it names, or else to all of its user's, who is looked up for that. Receivers get the ids of the
       * user and of what it is about, and the client, address and all. Best effort: what caused it does not wait, and
       * it is lost if it cannot be stored (`fault`), or the process ends first.
       */
      readonly securityEvent: UserSecurityEventType;
    }
);

/** The events of an app, by name. */
export type EventTypes = Readonly<Record<string, EventType>>;

/** The events of an app that names none: data is any object. */
export type GivenEvents = Readonly<Record<WebhookEventName, EventType>>;

/** The name of one of these events. */
export type EventName<Events extends EventTypes> = Extract<keyof Events, string>;

/** The name of one that the app publishes: of none that Latchhook publishes by itself. */
export type PublishedEventName<Events extends EventTypes> = {
  [Name in EventName<Events>]: Events[Name] extends {
    readonly securityEvent: UserSecurityEventType;
  }
    ? never
    : Name;
}[EventName<Events>];

/** What publishing one of these events takes for its data: what its schema takes, else any object. */
export type EventData<
  Events extends EventTypes,
  Name extends EventName<Events>,
> = Events[Name] extends { readonly schema: StandardSchema<infer Input extends object> }
  ? Input
  : object;
