import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type SchemaResult, type StandardSchema, schemaOutput } from './standard-schema.ts';

const contact = v.object({
  email: v.pipe(v.string(), v.trim(), v.email()),
  tags: v.optional(v.array(v.string()), []),
});

function schemaReturning(result: SchemaResult): StandardSchema {
  return { '~standard': { version: 1, vendor: 'own', validate: async () => result } };
}

describe('schemaOutput()', () => {
  it('returns the output of the schema', async () => {
    const data = { email: ' ada@example.com ', passwordHash: 'x' };
    expect(await schemaOutput(contact, data, 'Contact.Added')).toEqual({
      email: 'ada@example.com',
      tags: [],
    });
  });

  it('rejects data with the paths of all issues, but without the values', async () => {
    const data = { email: 's3cret', tags: ['a', 7] };
    await expect(schemaOutput(contact, data, 'Contact.Added')).rejects.toThrow(
      new TypeError('the schema of Contact.Added rejects data.email, data.tags.1'),
    );
  });

  it('rejects data with each path once, even if a path has two issues', async () => {
    const issue = { message: '', path: ['email'] };
    const twice = schemaReturning({ issues: [issue, issue] });
    await expect(schemaOutput(twice, {}, 'Contact.Added')).rejects.toThrow(
      new TypeError('the schema of Contact.Added rejects data.email'),
    );
  });

  it('rejects data as a whole if an issue has no path', async () => {
    const withoutPath = schemaReturning({ issues: [{ message: '' }] });
    await expect(schemaOutput(withoutPath, {}, 'Account.Created')).rejects.toThrow('rejects data');
  });

  it('rejects data even if the list of issues is empty', async () => {
    const withoutIssues = schemaReturning({ issues: [] });
    await expect(schemaOutput(withoutIssues, {}, 'Account.Created')).rejects.toThrow(TypeError);
  });

  it('rejects with the name of the event if the schema itself throws', async () => {
    const failure = new Error('s3cret');
    const failing = v.pipeAsync(
      v.object({}),
      v.checkAsync(() => Promise.reject(failure)),
    );
    await expect(schemaOutput(failing, {}, 'Contact.Added')).rejects.toThrow(
      new TypeError('the schema of Contact.Added failed', { cause: failure }),
    );
  });
});
