import type { WebhookEventName } from '../../webhook-events.ts';
import type { StandardSchema } from './standard-schema.ts';

/** What an app says of one of its events. */
export interface EventType {
  /**
   * What its data has to be, in any library that speaks Standard Schema. `auth.events.publish` takes what the schema
   * takes, refuses what it refuses, and sends what it makes of that. Receivers are shown it as JSON Schema, where the
   * library has that: Valibot, and whatever speaks Standard JSON Schema. Default: any object.
   */
  readonly schema?: StandardSchema<object>;
  /** For those who write receivers: a sentence or two. */
  readonly description?: string;
  /** Data as receivers get it. */
  readonly example?: object;
}

/** The events of an app, by name. */
export type EventTypes = Readonly<Record<string, EventType>>;

/** The events of an app that names none: data is any object. */
export type GivenEvents = Readonly<Record<WebhookEventName, EventType>>;

/** The name of one of these events. */
export type EventName<Events extends EventTypes> = Extract<keyof Events, string>;

/** What publishing one of these events takes for its data: what its schema takes, else any object. */
export type EventData<
  Events extends EventTypes,
  Name extends EventName<Events>,
> = Events[Name] extends { readonly schema: StandardSchema<infer Input extends object> }
  ? Input
  : object;
