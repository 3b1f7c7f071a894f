import { type Auth, AuthError, WEBHOOK_EVENTS, type WebhookEventName } from '@latchhook/core';

/** A response that any framework can send: status, JSON body and further headers. */
export interface DemoResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * `POST /demo/events {event, account_id, data}` publishes an event. A real app has no such route, but publishes events
 * where they happen, in its own code; so the route requires no credential.
 */
export async function publishDemoEvent(
  auth: Pick<Auth, 'events'>,
  request: unknown,
): Promise<DemoResponse> {
  if (!isObject(request)) return badRequest('the body must be an object');
  const { event, account_id: accountId, data = {} } = request;
  if (!isEventName(event)) return badRequest(`event must be one of ${WEBHOOK_EVENTS.join(', ')}`);
  if (!isAccountId(accountId)) return badRequest('account_id must be an integer from 1');
  if (!isObject(data)) return badRequest('data must be an object');
  try {
    const { id, deliveries } = await auth.events.publish(event, { accountId, data });
    return { status: 202, body: { id, deliveries }, headers: {} };
  } catch (error) {
    // Valid JSON that cannot be sent, such as 1e400.
    if (error instanceof TypeError) return badRequest(error.message);
    // Data that is too large, or nested too deep.
    if (error instanceof RangeError) return badRequest(error.message, 413);
    if (!(error instanceof AuthError) || error.code !== 'temporarily_unavailable') throw error;
    return {
      status: 503,
      body: { error: error.code, error_description: error.description },
      headers: { 'retry-after': String(error.details.retryAfterSeconds ?? 1) },
    };
  }
}

export function badRequest(description: string, status = 400): DemoResponse {
  const body = { error: 'invalid_request', error_description: description };
  return { status, body, headers: {} };
}

function isEventName(value: unknown): value is WebhookEventName {
  return WEBHOOK_EVENTS.includes(value as WebhookEventName);
}

function isAccountId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
