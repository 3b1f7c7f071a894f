import * as v from 'valibot';
import { beforeAll, expect, it } from 'vitest';
import { toJsonSchema } from '../loading/dependencies.ts';
import { named, namedAfter } from '../schema/named.ts';
import { createJsonSchemas } from './json-schema.ts';

beforeAll(async () => void (await toJsonSchema.load()));

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

it('JSON Schema has each named schema once, including the parts of named schemas', () => {
  const schemas = createJsonSchemas();
  const tag = named('Tag', v.object({ name: v.string() }));
  const contact = named('Contact', v.object({ tags: v.array(tag), first: v.nullable(tag) }));
  const page = namedAfter(contact, 'Page', v.object({ data: v.array(contact) }));
  expect(schemas.of(page)).toEqual(ref('ContactPage'));
  expect(schemas.of(v.object({ tag }))).toMatchObject({ properties: { tag: ref('Tag') } });
  expect(schemas.components).toEqual({
    Tag: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    Contact: {
      type: 'object',
      properties: {
        tags: { type: 'array', items: ref('Tag') },
        first: { anyOf: [ref('Tag'), { type: 'null' }] },
      },
      required: ['tags', 'first'],
    },
    ContactPage: {
      type: 'object',
      properties: { data: { type: 'array', items: ref('Contact') } },
      required: ['data'],
    },
  });
});

it('JSON Schema writes unnamed schemas and their wrappers inline', () => {
  const schemas = createJsonSchemas();
  const page = namedAfter(v.string(), 'Page', v.array(v.string()));
  expect(schemas.of(page)).toEqual({ type: 'array', items: { type: 'string' } });
  expect(schemas.components).toEqual({});
});

it('JSON Schema throws an error if two schemas have one name', () => {
  const schemas = createJsonSchemas();
  schemas.of(named('Same', v.object({ a: v.string() })));
  schemas.of(named('Same', v.object({ a: v.string() })));
  expect(() => schemas.of(named('Same', v.object({ b: v.string() })))).toThrow(
    'two schemas are named Same',
  );
});
