import { beforeAll, describe, expect, it } from 'vitest';
import { toJsonSchema } from '../../loading/dependencies.ts';
import { warningsOf } from '../../warnings-of.test.support.ts';
import { dataSchema } from './data-schema.ts';
import type { StandardSchema } from './standard-schema.ts';

/** A schema that its library cannot convert to JSON Schema, such as Zod's `z.date()`. */
function inconvertibleSchema(): StandardSchema<object> {
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
  it('allows any object, and one warning is emitted for each schema', () => {
    const type = { schema: inconvertibleSchema() };
    const warnings = warningsOf(() => {
      for (let i = 0; i < 2; i += 1) {
        expect(dataSchema('Contact.Added', type)).toEqual({ type: 'object' });
      }
      dataSchema('Contact.Removed', { schema: inconvertibleSchema() });
    });
    expect(warnings).toEqual(['LATCHHOOK_EVENT_SCHEMA', 'LATCHHOOK_EVENT_SCHEMA']);
  });
});
