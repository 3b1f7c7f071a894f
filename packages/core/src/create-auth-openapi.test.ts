import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AuthOptions } from './auth-options.ts';
import { createAuth } from './create-auth.ts';
import { plainRequest } from './http/plain-request.test.support.ts';
import { generateSigningKey } from './keys/signing-key.ts';
import { memoryStorage } from './storage/memory/memory-storage.ts';
import type { Storage } from './storage/storage.ts';

const VALID: AuthOptions = {
  issuer: 'https://api.example.com',
  users: { findByUsername: async () => null, findById: async () => null },
  keys: {
    signing: generateSigningKey(),
    refreshSecrets: [randomBytes(32)],
    encryption: [randomBytes(32)],
  },
  environment: 'production',
};

interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content; $ref?: string }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
}

interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Document['paths'];
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Without personal access tokens in the storage, there are no routes for them. */
function storageWithoutTokens(): Storage {
  const { personalAccessTokens: _, ...storage } = memoryStorage();
  return storage;
}

/** The features that can be off or on, with the options of either. */
const FEATURES: readonly [name: string, off: Partial<AuthOptions>, on: Partial<AuthOptions>][] = [
  ['webhooks', {}, { webhooks: { worker: false } }],
  ['enrolment', {}, { mfa: { enrolment: true } }],
  ['tokens', { storage: storageWithoutTokens() }, { storage: memoryStorage() }],
];

/** All combinations of features. */
const variants = FEATURES.reduce<[features: string, options: Partial<AuthOptions>][]>(
  (combinations, [name, off, on]) =>
    combinations.flatMap(([features, options]) => [
      [features, { ...options, ...off }],
      [`${features}, ${name}`, { ...options, ...on }],
    ]),
  [['logins', {}]],
);

async function documentFor(options: Partial<AuthOptions>): Promise<Document> {
  const auth = createAuth({ ...VALID, ...options });
  onTestFinished(() => auth.close());
  const { body } = await auth.http.handle(plainRequest({ path: '/openapi.json' }));
  return JSON.parse(body);
}

function operationsOf({ paths, webhooks }: Document): readonly Operation[] {
  return Object.values({ ...paths, ...webhooks }).flatMap((each) => Object.values(each));
}

function refsOf(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === '$ref' ? [String(value)] : refsOf(value),
  );
}

/** References to all components of the document. */
function componentsOf({ components }: Document): readonly string[] {
  return Object.entries(components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`));
}

describe('the OpenAPI document', () => {
  it.each(variants)(
    'defines exactly the components that it refers to, with the features "%s"',
    async (_, options) => {
      const document = await documentFor(options);
      expect([...new Set(refsOf(document))].sort()).toEqual([...componentsOf(document)].sort());
    },
  );

  it.each(variants)(
    'names the schema of each request and response body, with the features "%s"',
    async (_, options) => {
      for (const operation of operationsOf(await documentFor(options))) {
        const contents = [operation.requestBody, ...Object.values(operation.responses)];
        for (const { schema } of contents.flatMap((each) => Object.values(each?.content ?? {}))) {
          for (const { $ref } of schema.anyOf ?? [schema]) {
            expect($ref, operation.operationId).toMatch(/^#\/components\/schemas\/[A-Z]\w+$/);
          }
        }
      }
    },
  );

  it.each(variants)(
    'puts each operation under one tag, and declares no unused tags, with the features "%s"',
    async (_, options) => {
      const document = await documentFor(options);
      const tags = operationsOf(document).map(({ tags = [] }) => tags);
      for (const each of tags) expect(each).toHaveLength(1);
      expect(new Set(tags.flat())).toEqual(new Set(document.tags.map(({ name }) => name)));
    },
  );

  it('has the same schema under the same name whatever features are on', async () => {
    const fullDocument = await documentFor({
      webhooks: { worker: false },
      mfa: { enrolment: true },
    });
    for (const [, options] of variants) {
      const { schemas } = (await documentFor(options)).components;
      expect(fullDocument.components['schemas']).toMatchObject(schemas ?? {});
    }
  });

  it('gives operationId issueToken to POST /token, not to the deprecated PUT /token', async () => {
    const { paths } = await documentFor({});
    expect(paths['/token']?.['post']?.operationId).toBe('issueToken');
    expect(paths['/token']?.['put']?.operationId).toBe('refreshTokenDeprecated');
  });
});
