import { expect, it } from 'vitest';
import { defineRecord } from './define-record.ts';
import { ScriptReply } from './script-reply.ts';

it('defineRecord numbers the stored fields first, then the added ones', () => {
  const record = defineRecord({ stored: ['name', 'count'], added: ['parts'] });
  expect(record.at).toEqual({ name: 1, count: 2, parts: 3 });
  expect(record.stored).toBe("'name', 'count'");
});

it('a record is built from one Lua expression per field', () => {
  const record = defineRecord({ stored: ['name', 'count'], added: ['parts'] });
  expect(record.of({ parts: '{}', count: 'now + 1', name: 'id' })).toBe('{id, now + 1, {}}');
});

it('the fields of a reply are read by their numbers, in any order', () => {
  const { at } = defineRecord({ stored: ['name', 'count', 'endedAtMs'], added: ['parts'] });
  const reply = new ScriptReply('test', ['a', '2', null, ['x', 'y']], 0);
  expect([...reply.at(at.parts).list().texts()]).toEqual(['x', 'y']);
  expect(reply.at(at.count).integer()).toBe(2);
  expect(reply.at(at.name).orNull()?.text()).toBe('a');
  expect(reply.at(at.endedAtMs).orNull()).toBe(null);
});

it('reading a field that is missing from a reply throws', () => {
  const { at } = defineRecord({ stored: ['name', 'endedAtMs'] });
  const reply = new ScriptReply('test', ['a'], 0);
  expect(() => reply.at(at.endedAtMs).orNull()?.integer()).toThrow('The script test replied');
});
