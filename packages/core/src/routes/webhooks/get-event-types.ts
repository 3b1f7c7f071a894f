import { jsonResponse } from '../../http/json-response.ts';
import type { AuthResponse } from '../../http/messages.ts';
import { toJsonSchema } from '../../loading/dependencies.ts';
import { dataSchema } from '../../webhooks/events/data-schema.ts';
import type { EventType } from '../../webhooks/events/event-types.ts';
import { defineRoute } from '../define-route.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import { eventTypesAnswer } from './webhook-schemas.ts';

/** `GET /webhooks/event-types`: the events for which webhooks can be registered. */
export function getEventTypes(types: ReadonlyMap<string, EventType>): Route {
  let response: AuthResponse | undefined;

  return defineRoute({
    method: 'GET',
    path: '/webhooks/event-types',
    operationId: 'listEventTypes',
    summary: 'List the events for which webhooks can be registered',
    auth: webhookAuth,
    answers: { 200: { description: 'All events, on one page.', schema: eventTypesAnswer } },

    async handle() {
      if (response !== undefined) return response;
      await toJsonSchema.load();
      const data = Array.from(types, ([name, type]) => ({
        object: 'EventType',
        name,
        description: type.description ?? null,
        schema: dataSchema(name, type),
        example: type.example ?? null,
      }));
      // Frozen because all later requests share it: the host must not change it.
      response = Object.freeze(jsonResponse(200, { data, next_cursor: null }));
      return response;
    },
  });
}
