import { beforeAll, describe, expect, it } from 'vitest';
import { toJsonSchema } from '../../loading/dependencies.ts';
import { warningsOf } from '../../warnings-of.test.support.ts';
import { dataSchema } from './data-schema.ts';
import type { StandardSchema } from './standard-schema.ts';

/** A schema whose library throws when it is converted, as Zod does for `z.date()`. */
function inexpressible(): StandardSchema<object> {
  const standard = {
    version: 1,
    vendor: 'own',
    validate: () => ({ value: {} }),
    jsonSchema: {
      output(): never {
        throw new Error('Date cannot be represented in JSON Schema');
      },
    },
  } as const;
  return { '~standard': standard };
}

beforeAll(() => toJsonSchema.load());

describe('the JSON Schema of an event whose schema cannot be converted', () => {
  it('is that of any object, with one warning for each schema', () => {
    const type = { schema: inexpressible() };
    const warnings = warningsOf(() => {
      for (let i = 0; i < 2; i += 1) {
        expect(dataSchema('Contact.Added', type)).toEqual({ type: 'object' });
      }
      dataSchema('Contact.Removed', { schema: inexpressible() });
    });
    expect(warnings).toEqual(['LATCHHOOK_EVENT_SCHEMA', 'LATCHHOOK_EVENT_SCHEMA']);
  });
});
