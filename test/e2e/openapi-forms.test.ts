import { expect } from 'vitest';
import { dereference, findMismatch, type JsonSchema } from '../support/clients/json-schema.ts';
import { type OpenapiDocument, openapiOf } from '../support/clients/public-documents.ts';
import { FORM_TYPE, pendingChallenge, totp } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const PATH = '/token/challenge';

function formOf(document: OpenapiDocument, path: string): JsonSchema {
  const { content } = document.paths[path]?.['post']?.requestBody ?? {};
  return dereference(document, content?.['application/x-www-form-urlencoded']?.schema);
}

/** The fields in OpenAPI's default style: each item of a list is a separate parameter. */
function spelt(fields: object): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of [value].flat()) form.append(name, String(item));
  }
  return form.toString();
}

inEveryCell('the OpenAPI schema of forms', (test) => {
  test('has no types that a form cannot express', async (app) => {
    const document = await openapiOf(app);
    for (const path of Object.keys(document.paths)) {
      const { anyOf = [formOf(document, path)] } = formOf(document, path);
      const schemas = anyOf.map((each) => dereference(document, each));
      const fields = schemas.flatMap(({ properties = {} }) => Object.entries(properties));
      for (const [name, { type, const: only }] of fields) {
        expect(['string', 'integer'], `${path} ${name}`).toContain(type ?? typeof only);
      }
    }
    expect(formOf(document, PATH).properties).toHaveProperty('scopes');
  });

  for (const [what, fields, isAccepted] of [
    ['a comma separated list', { scopes: 'user,admin' }, true],
    ['a list as repeated fields', { scopes: ['user', 'admin'] }, false],
    ['a code without its leading zeros', { code: 42 }, false],
  ] as const) {
    test(`agrees with the server on ${what}`, async (app) => {
      const document = await openapiOf(app);
      const body = { challenge: await pendingChallenge(app), code: totp(app), ...fields };
      const response = await app.send({
        method: 'POST',
        path: PATH,
        headers: FORM_TYPE,
        body: spelt(body),
      });
      expect(response.status).toBe(isAccepted ? 200 : 400);
      expect(findMismatch(formOf(document, PATH), body, document) === null).toBe(isAccepted);
    });
  }
});
