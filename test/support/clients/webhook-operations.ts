import type { HttpResponse } from '../../hosts/send-request.ts';
import type { TestApp } from '../apps/test-app.ts';
import { JSON_TYPE } from './token-calls.ts';
import { NEW_WEBHOOK, OPERATIONS, type UserCalls } from './webhook-calls.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
}

/** Every operation of webhooks. The operations on one webhook have this id. */
export function operationsOn(id: string, query: string = ''): readonly Operation[] {
  return [
    { method: 'POST', path: `/webhooks${query}`, body: NEW_WEBHOOK },
    { method: 'GET', path: `/webhooks${query}` },
    ...OPERATIONS.map(([method, below, body]) => ({
      method,
      path: `/webhooks/${id}${below}${query}`,
      body,
    })),
  ];
}

export async function sendAll(
  calls: UserCalls,
  operations: readonly Operation[],
): Promise<readonly HttpResponse[]> {
  const responses: HttpResponse[] = [];
  for (const { method, path, body } of operations) {
    responses.push(await calls.send(method, path, body));
  }
  return responses;
}

export function withHeaders(
  app: TestApp,
  { method, path, body }: Operation,
  headers: readonly string[],
) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return app.send({
    method,
    path,
    headers: text === undefined ? headers : [...JSON_TYPE, ...headers],
    ...(text === undefined ? {} : { body: text }),
  });
}
