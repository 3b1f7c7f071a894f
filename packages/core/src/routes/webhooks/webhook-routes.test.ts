import { describe, expect, it } from 'vitest';
import { fixture } from '../../webhooks/registry/webhook-fixture.test.support.ts';
import { webhookRoutes } from './webhook-routes.ts';

const routes = webhookRoutes(fixture(), (_, path) => `https://api.example.com${path}`);

describe('the webhook routes', () => {
  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s requires the scope user and checks the user status',
    (_, { auth }) => {
      expect(auth).toEqual({ scope: 'user', checkUserStatus: true });
    },
  );
});
