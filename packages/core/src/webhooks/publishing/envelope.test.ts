import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { envelopeBody, MAX_ENVELOPE_BYTES } from './envelope.ts';
import { envelopeSchemas } from './envelope-schema.ts';
import { newMessageId } from './message-id.ts';

function bodyOf(data: unknown): string {
  return envelopeBody({
    id: 'msg_1',
    type: 'Contact.Added',
    atMs: 1_795_171_200_000,
    accountId: 7,
    data,
  });
}

describe('the body of an event', () => {
  it('matches its documented schema', () => {
    const type = 'Contact.Added';
    const data = { contactId: 'c_1' };
    const body = envelopeBody({ id: newMessageId(), type, atMs: 0, accountId: 1, data });
    const { entries } = envelopeSchemas.integer(type, v.object({ contactId: v.string() }));
    const strictSchema = v.strictObject(entries);
    expect(v.safeParse(strictSchema, JSON.parse(body))).toMatchObject({ issues: undefined });
  });

  it('has id, type, timestamp, account_id and data', () => {
    expect(bodyOf({ contactId: 'c_1', tags: ['a', null] })).toBe(
      '{"id":"msg_1","type":"Contact.Added","timestamp":"2026-11-20T10:40:00.000Z","account_id":7,"data":{"contactId":"c_1","tags":["a",null]}}',
    );
  });

  it('serialises a Date and a URL by their toJSON', () => {
    const data = { at: new Date(0), url: new URL('https://example.com') };
    expect(JSON.parse(bodyOf(data)).data).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      url: 'https://example.com/',
    });
  });

  it('serialises instances of classes by their fields', () => {
    class Contact {
      readonly id = 'c_1';
    }
    expect(JSON.parse(bodyOf({ contact: new Contact() })).data).toEqual({ contact: { id: 'c_1' } });
  });

  it.each([
    [
      'undefined',
      { a: { b: undefined } },
      'cannot be sent as JSON: a.b is undefined; leave it out',
    ],
    ['undefined in a list', { a: [1, undefined] }, 'cannot be sent as JSON: a.1 is undefined'],
    [
      'a Map as data',
      new Map([['s3cret', 1]]),
      'the data of Contact.Added cannot be sent as JSON: it is a Map',
    ],
    ['a promise as data', Promise.resolve({ a: 1 }), 'JSON: it is a promise; await it'],
    ['a value under an odd name', { 'a b': [{}, { c: 1n }] }, 'JSON: ["a b"].1.c is a BigInt'],
    [
      'a value after valid ones',
      { a: { b: [new Date(0)] }, c: { d: () => 1 } },
      'JSON: c.d is a function',
    ],
  ])('is rejected, with the path, if it would lose %s', (_what, data, message) => {
    expect(() => bodyOf(data)).toThrow(TypeError);
    expect(() => bodyOf(data)).toThrow(message);
    expect(() => bodyOf(data)).not.toThrow(/s3cret/);
  });

  it('is rejected if data contains itself', () => {
    const data: Record<string, unknown> = {};
    data['self'] = { data };
    expect(() => bodyOf(data)).toThrow(TypeError);
  });

  it.each([
    null,
    undefined,
    'text',
    7,
    true,
    [],
    () => 1,
    new Date(0),
    { toJSON: () => 'text' },
    { toJSON: () => [] },
  ])('is rejected if data is %j', (data) => {
    expect(() => bodyOf(data)).toThrow(
      new TypeError('the data of Contact.Added must be an object'),
    );
  });

  it('has at most 256 KiB, counted in bytes', () => {
    const otherBytes = Buffer.byteLength(bodyOf({ a: 'ü' }));
    const longestText = `ü${'a'.repeat(MAX_ENVELOPE_BYTES - otherBytes)}`;
    expect(Buffer.byteLength(bodyOf({ a: longestText }))).toBe(MAX_ENVELOPE_BYTES);
    expect(() => bodyOf({ a: `${longestText}a` })).toThrow(RangeError);
  });

  it('is well-formed even with a lone surrogate', () => {
    expect(bodyOf({ a: '\ud800' }).isWellFormed()).toBe(true);
  });
});
