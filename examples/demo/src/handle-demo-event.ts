import type { IncomingMessage } from 'node:http';
import type { Auth } from '@latchhook/core';
import { badRequest, type DemoResponse, publishDemoEvent } from './publish-demo-event.ts';
import { readJsonBody } from './read-json-body.ts';

/** `POST /demo/events`. Reads the body itself, and returns a response that any framework can send. */
export async function handleDemoEvent(
  auth: Pick<Auth, 'events'>,
  req: IncomingMessage,
): Promise<DemoResponse> {
  const body = await readJsonBody(req);
  if (body.outcome === 'rejected') return badRequest(body.description, body.status);
  return publishDemoEvent(auth, body.value);
}
