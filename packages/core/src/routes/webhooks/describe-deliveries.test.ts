import { beforeAll, expect, it } from 'vitest';
import { toJsonSchema } from '../../loading/dependencies.ts';
import type { StandardSchema } from '../../webhooks/events/standard-schema.ts';
import { createJsonSchemas } from '../json-schema.ts';
import { describeDeliveries } from './describe-deliveries.ts';

beforeAll(() => toJsonSchema.load());

it('gives the schema of an event an $id if it refers to itself, as it would mean the whole document', () => {
  const standard = {
    version: 1,
    vendor: 'own',
    validate: () => ({ value: {} }),
    jsonSchema: {
      output: () => ({
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#' } } },
      }),
    },
  } as const;
  const schema: StandardSchema<object> = { '~standard': standard };
  const schemas = createJsonSchemas();
  describeDeliveries(
    { eventTypes: new Map([['Tree.Grown', { schema }]]), accountIdKind: 'integer' },
    schemas,
  );
  expect(JSON.stringify(schemas)).toContain('"$id":"urn:event:Tree.Grown"');
});
