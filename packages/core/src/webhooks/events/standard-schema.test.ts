import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type SchemaResult, type StandardSchema, schemaOutput } from './standard-schema.ts';

const contact = v.object({
  email: v.pipe(v.string(), v.trim(), v.email()),
  tags: v.optional(v.array(v.string()), []),
});

function schemaThatAnswers(result: SchemaResult): StandardSchema {
  return { '~standard': { version: 1, vendor: 'own', validate: async () => result } };
}

describe('data under a schema', () => {
  it('is what the schema makes of it', async () => {
    const data = { email: ' ada@example.com ', passwordHash: 'x' };
    expect(await schemaOutput(contact, data, 'Contact.Added')).toEqual({
      email: 'ada@example.com',
      tags: [],
    });
  });

  it('is rejected with the places, and nothing of what was there', async () => {
    const data = { email: 's3cret', tags: ['a', 7] };
    await expect(schemaOutput(contact, data, 'Contact.Added')).rejects.toThrow(
      new TypeError('the schema of Contact.Added rejects data.email, data.tags.1'),
    );
  });

  it('is rejected with a place once, however much is wrong there', async () => {
    const issue = { message: '', path: ['email'] };
    const twice = schemaThatAnswers({ issues: [issue, issue] });
    await expect(schemaOutput(twice, {}, 'Contact.Added')).rejects.toThrow(
      new TypeError('the schema of Contact.Added rejects data.email'),
    );
  });

  it('is rejected as a whole where the schema names no place', async () => {
    const nothing = schemaThatAnswers({ issues: [{ message: '' }] });
    await expect(schemaOutput(nothing, {}, 'Account.Created')).rejects.toThrow('rejects data');
  });

  it('is rejected even where the schema lists nothing that is wrong', async () => {
    const nothing = schemaThatAnswers({ issues: [] });
    await expect(schemaOutput(nothing, {}, 'Account.Created')).rejects.toThrow(TypeError);
  });
});
