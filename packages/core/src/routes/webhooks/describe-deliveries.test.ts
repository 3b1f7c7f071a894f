import { beforeAll, expect, it } from 'vitest';
import { toJsonSchema } from '../../loading/dependencies.ts';
import type { StandardSchema } from '../../webhooks/events/standard-schema.ts';
import { createJsonSchemas } from '../json-schema.ts';
import { describeDeliveries } from './describe-deliveries.ts';

beforeAll(() => toJsonSchema.load());

// Without an $id, `#` would refer to the whole document.
it('describeDeliveries gives a schema that refers to itself an $id', () => {
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
