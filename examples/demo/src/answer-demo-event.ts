import type { IncomingMessage } from 'node:http';
import type { Auth } from '@latchhook/core';
import { badRequest, type DemoAnswer, publishDemoEvent } from './publish-demo-event.ts';
import { readJsonBody } from './read-json-body.ts';

/** `POST /demo/events`, from a request whose body nobody has read: any framework can send the answer. */
export async function answerDemoEvent(
  auth: Pick<Auth, 'events'>,
  req: IncomingMessage,
): Promise<DemoAnswer> {
  const body = await readJsonBody(req);
  if (body.outcome === 'rejected') return badRequest(body.description, body.status);
  return publishDemoEvent(auth, body.value);
}
