import { describe, expect, it } from 'vitest';
import { scene } from '../../webhooks/registry/webhook-scene.test.support.ts';
import { webhookRoutes } from './webhook-routes.ts';

const routes = webhookRoutes(scene(), (_, path) => `https://api.example.com${path}`);

describe('the webhook routes', () => {
  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s goes by what the directory says of the user now',
    (_, { auth }) => {
      expect(auth).toEqual({ scope: 'user', checkStanding: true });
    },
  );
});
