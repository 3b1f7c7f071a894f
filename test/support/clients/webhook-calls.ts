import type { HttpResponse } from '../../hosts/send-request.ts';
import type { TestApp } from '../apps/test-app.ts';
import { type Fields, JSON_TYPE, session } from './token-calls.ts';

/** A webhook in a response. */
export interface WebhookBody {
  readonly object: 'Webhook';
  readonly id: string;
  readonly account_id: number;
  readonly event: string;
  readonly url: string;
  readonly rate_limit: number;
  readonly rate_limit_period: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly disabled_at: string | null;
  readonly disabled_reason: string | null;
}

/** A delivery in a response. */
export interface DeliveryBody {
  readonly object: 'Delivery';
  readonly id: string;
  readonly event: string;
  readonly state: string;
  readonly reason: string | null;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
  readonly attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly duration_ms: number;
    readonly error: string | null;
  }[];
}

/** The body of a response with one webhook. */
export interface OneBody<Data> {
  readonly id: string;
  readonly data: Data;
}

/** The body of a response with a list. */
export interface ListBody<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

export const RECEIVER_URL = 'https://receiver.example/hook';

/** The usual fields of a new webhook. */
export const NEW_WEBHOOK = { event: 'Contact.Added', url: RECEIVER_URL } as const;

/** Calls with one bearer token. */
export interface UserCalls {
  readonly accessToken: string;
  /** Sends a string body unchanged, so that it need not be JSON. */
  send(method: string, path: string, body?: unknown): Promise<HttpResponse>;
}

export async function callsOf(
  app: TestApp,
  user: string = 'ada',
  fields: Fields = {},
): Promise<UserCalls> {
  return callsWith(app, (await session(app, user, fields)).access_token);
}

export function callsWith(app: TestApp, accessToken: string): UserCalls {
  return {
    accessToken,
    send(method, path, body) {
      const authorization = ['authorization', `Bearer ${accessToken}`];
      if (body === undefined) return app.send({ method, path, headers: authorization });
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return app.send({ method, path, headers: [...JSON_TYPE, ...authorization], body: text });
    },
  };
}

/** Registers a webhook; `fields` are added to the usual ones, or replace them. */
export async function register(
  calls: UserCalls,
  fields: Fields = {},
  query: string = '',
): Promise<WebhookBody & { readonly secret: string }> {
  const response = await calls.send('POST', `/webhooks${query}`, { ...NEW_WEBHOOK, ...fields });
  return bodyOf<OneBody<WebhookBody & { readonly secret: string }>>(response, 201).data;
}

export async function webhookOf(calls: UserCalls, id: string): Promise<WebhookBody> {
  return bodyOf<OneBody<WebhookBody>>(await calls.send('GET', `/webhooks/${id}`), 200).data;
}

/** The newest deliveries, newest first. */
export async function deliveriesOf(calls: UserCalls, id: string): Promise<readonly DeliveryBody[]> {
  const response = await calls.send('GET', `/webhooks/${id}/deliveries`);
  return bodyOf<ListBody<DeliveryBody>>(response, 200).data;
}

/** Publishes the event of the usual webhook to the first account; returns the id. */
export async function publish(app: TestApp): Promise<string> {
  const published = await app.auth.events.publish('Contact.Added', { accountId: 1, data: {} });
  return published.id;
}

/** The time of the app, in the format of responses. */
export function isoNow(app: TestApp): string {
  return new Date(app.clock.nowMs()).toISOString();
}

/** @throws {Error} with the response if it has another status */
export function bodyOf<Body>(response: HttpResponse, status: number): Body {
  if (response.status !== status) {
    throw new Error(`expected ${status}, and was answered ${response.status}: ${response.body}`);
  }
  return JSON.parse(response.body);
}

/** Every operation on one webhook, with a valid body. */
export const OPERATIONS: readonly (readonly [method: string, below: string, body?: object])[] = [
  ['GET', ''],
  ['PATCH', '', { url: RECEIVER_URL }],
  ['DELETE', ''],
  ['POST', '/secret'],
  ['POST', '/ping'],
  ['GET', '/deliveries'],
  ['POST', '/deliveries/msg_x/resend'],
  ['POST', '/enable'],
  ['POST', '/recover', { since: '2026-01-01T00:00:00Z' }],
];
