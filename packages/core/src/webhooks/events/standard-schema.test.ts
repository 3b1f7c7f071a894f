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
  it('is replaced by the output of the schema', async () => {
    const data = { email: ' ada@example.com ', passwordHash: 'x' };
    expect(await schemaOutput(contact, data, 'Contact.Added')).toEqual({
      email: 'ada@example.com',
      tags: [],
    });
  });

  it('is rejected with the paths of all issues, and without the values', async () => {
    const data = { email: 's3cret', tags: ['a', 7] };
    await expect(schemaOutput(contact, data, 'Contact.Added')).rejects.toThrow(
      new TypeError('the schema of Contact.Added rejects data.email, data.tags.1'),
    );
  });

  it('is rejected with each path once, even if it has two issues', async () => {
    const issue = { message: '', path: ['email'] };
    const twice = schemaThatAnswers({ issues: [issue, issue] });
    await expect(schemaOutput(twice, {}, 'Contact.Added')).rejects.toThrow(
      new TypeError('the schema of Contact.Added rejects data.email'),
    );
  });

  it('is rejected as a whole if an issue has no path', async () => {
    const nothing = schemaThatAnswers({ issues: [{ message: '' }] });
    await expect(schemaOutput(nothing, {}, 'Account.Created')).rejects.toThrow('rejects data');
  });

  it('is rejected even if the list of issues is empty', async () => {
    const nothing = schemaThatAnswers({ issues: [] });
    await expect(schemaOutput(nothing, {}, 'Account.Created')).rejects.toThrow(TypeError);
  });
});
