import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

/** Below test/, where all packages and frameworks resolve by name. */
const FOLDER = join(import.meta.dirname, '../.compiler-messages');

const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc');

/** Precedes the mistake in a line of code. */
const MARK = '/**/';

const APPS = `
  import { createAuth, type Scope, type UserStore } from '@latchhook/core';
  import * as forExpress from '@latchhook/express';
  import * as forKoa from '@latchhook/koa';
  import * as v from 'valibot';
  import { z } from 'zod';

  const issuer = 'https://api.example.com';
  declare const users: UserStore;
  declare const usersWithTextAccounts: UserStore<Scope | 'billing:read' | 'payout', string>;
  const app = createAuth({
    issuer,
    users: usersWithTextAccounts,
    accounts: { id: 'string' },
    scopes: { 'billing:read': { description: 'Read invoices.' }, payout: { stepUp: true } },
    webhooks: {
      worker: false,
      events: {
        'Invoice.Paid': { schema: v.object({ cents: v.number(), lines: v.array(v.string()) }) },
        'Invoice.Sent': { schema: z.object({ to: z.enum(['buyer', 'seller']) }) },
        'Invoice.Lost': { description: 'Nobody knows where it is.' },
        'session.stolen': { securityEvent: 'session.reused' },
      },
    },
  });
  const defaultApp = createAuth({ issuer, users, webhooks: { worker: false } });
`;

const SCOPES = '"admin" | "auth" | "billing:read" | "internal" | "payout" | "user"';
const PUBLISHED = '"Invoice.Lost" | "Invoice.Paid" | "Invoice.Sent"';

/** What is wrong, a line of code with {@link MARK}, and a part of the compiler's message. */
type Case = readonly [mistake: string, code: string, message: string];

const misspeltNames: readonly Case[] = [
  [
    'an event that the app does not have',
    `app.events.publish(/**/'Invoice.Payed', { accountId: 'a', data: { cents: 1, lines: [] } });`,
    `Argument of type '"Invoice.Payed"' is not assignable to parameter of type '${PUBLISHED}'.`,
  ],
  [
    'a security event that publish() does not accept',
    `app.events.publish(/**/'session.stolen', { accountId: 'a', data: {} });`,
    `Argument of type '"session.stolen"' is not assignable to parameter of type '${PUBLISHED}'.`,
  ],
  [
    'an event that the defaults do not include',
    `defaultApp.events.publish(/**/'Contact.Add', { accountId: 1, data: {} });`,
    `Argument of type '"Contact.Add"' is not assignable to parameter of type '"Account.Confirmed" | "Account.Created" |`,
  ],
  [
    'an event in webhooks.create()',
    `app.webhooks.create('a', { /**/event: 'Invoice.Payed', url: 'https://receiver.example' });`,
    `Type '"Invoice.Payed"' is not assignable to type '${PUBLISHED} | "session.stolen"'. Did you mean '"Invoice.Paid"'?`,
  ],
  ...['Koa', 'Express'].flatMap((framework): readonly Case[] => [
    [
      `a scope of requireAuth in ${framework}`,
      `for${framework}.requireAuth(app, { /**/scope: 'payuot', account: () => 'a' });`,
      `Type '"payuot"' is not assignable to type '${SCOPES} | readonly (${SCOPES})[] | undefined'. Did you mean '"payout"'?`,
    ],
    [
      `a scope in a list of requireAuth in ${framework}`,
      `for${framework}.requireAuth(app, { scope: ['user', /**/'payuot'] });`,
      `Type '"payuot"' is not assignable to type '${SCOPES}'. Did you mean '"payout"'?`,
    ],
  ]),
  [
    'a scope of auth.login',
    `app.login('ada', { amr: ['fed'], scopes: [/**/'payuot'] });`,
    `Type '"payuot"' is not assignable to type '${SCOPES}'. Did you mean '"payout"'?`,
  ],
  [
    'a built-in scope in the option scopes',
    `createAuth({ issuer, users, scopes: { /**/admin: {} } });`,
    `Type '{}' is not assignable to type '"every app has the scope admin"'.`,
  ],
];

const wrongData: readonly Case[] = [
  [
    'a field of a Valibot schema',
    `app.events.publish('Invoice.Paid', { accountId: 'a', data: { /**/cents: '1', lines: [] } });`,
    "Type 'string' is not assignable to type 'number'.",
  ],
  [
    'a field that is missing',
    `app.events.publish('Invoice.Paid', { accountId: 'a', /**/data: { cents: 1 } });`,
    "Property 'lines' is missing in type '{ cents: number; }' but required in type '{ cents: number; lines: string[]; }'.",
  ],
  [
    'a field that the schema does not know',
    `app.events.publish('Invoice.Paid', { accountId: 'a', data: { cents: 1, lines: [], /**/euros: 1 } });`,
    "'euros' does not exist in type '{ cents: number; lines: string[]; }'.",
  ],
  [
    'a value of a Zod schema',
    `app.events.publish('Invoice.Sent', { accountId: 'a', data: { /**/to: 'nobody' } });`,
    `Type '"nobody"' is not assignable to type '"buyer" | "seller"'.`,
  ],
  [
    'a JSON Schema in place of a Standard Schema',
    `createAuth({ issuer, users, webhooks: { worker: false, events: { paid: { schema: { /**/type: 'object' } } } } });`,
    "'type' does not exist in type 'StandardSchema<object, object>'.",
  ],
];

const wrongAccounts: readonly Case[] = [
  [
    'an integer in publish() of an app with string ids',
    `app.events.publish('Invoice.Lost', { /**/accountId: 1, data: {} });`,
    "Type 'number' is not assignable to type 'string'.",
  ],
  [
    'a string in publish() of an app with integer ids',
    `defaultApp.events.publish('Contact.Added', { /**/accountId: 'a', data: {} });`,
    "Type 'string' is not assignable to type 'number'.",
  ],
  [
    'an integer in webhooks.list() of an app with string ids',
    `app.webhooks.list(/**/1);`,
    "Argument of type 'number' is not assignable to parameter of type 'string'.",
  ],
  [
    'a string in webhooks.list() of an app with integer ids',
    `defaultApp.webhooks.list(/**/'a');`,
    "Argument of type 'string' is not assignable to parameter of type 'number'.",
  ],
  [
    'an integer in requireAuth of an app with string ids',
    `forKoa.requireAuth(app, { /**/account: () => 1 });`,
    "Type '() => 1' is not assignable to type '(ctx: RouteContext) => string | undefined'.",
  ],
  [
    'a string in requireAuth of an app with integer ids',
    `forExpress.requireAuth(defaultApp, { /**/account: () => 'a' });`,
    `Type '() => "a"' is not assignable to type '(req: RouteRequest) => number | undefined'.`,
  ],
  [
    'an unknown kind of account id',
    `createAuth({ issuer, users, accounts: { /**/id: 'uuid' } });`,
    `Type '"uuid"' is not assignable to type '"integer" | "string" | undefined'.`,
  ],
];

const reservedClaims: readonly Case[] = [
  ['a claim', '() => ({ sub: 1 })', 'sub'],
  ['a claim of an async function', `async () => ({ plan: 'pro', scope: 1 })`, 'scope'],
  [
    'a claim that is present in some cases',
    `async ({ id }) => id === 'ada' ? { plan: 'pro' } : { plan: 'free', account_id: 1 }`,
    'account_id',
  ],
].map(([mistake = '', callback, claim]) => [
  mistake,
  `createAuth({ issuer, users, /**/accessTokenClaims: ${callback} });`,
  `Types of property '${claim}' are incompatible.`,
]);

const groups = {
  'misspelt names': misspeltNames,
  'wrong data': wrongData,
  'wrong account ids': wrongAccounts,
  'reserved claims': reservedClaims,
};
const cases = Object.values(groups).flat();

/** The line of the first case. */
const firstLine = APPS.split('\n').length;

const errors: { readonly line: number; readonly column: number; readonly text: string }[] = [];

beforeAll(async () => {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER);
  const config = { extends: '../tsconfig.json', include: ['*.ts'], exclude: [] };
  await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify(config));
  await writeFile(join(FOLDER, 'cases.ts'), `${APPS}${cases.map(([, code]) => code).join('\n')}\n`);
  const output = await new Promise<string>((resolve) => {
    execFile(TSC, ['-p', FOLDER, '--pretty', 'false'], (_error, stdout) => resolve(stdout));
  });
  for (const text of output.split(/^(?=\S+\.ts\()/m)) {
    const [, line, column] = /^\S+\/cases\.ts\((\d+),(\d+)\)/.exec(text) ?? [];
    errors.push({ line: Number(line), column: Number(column), text });
  }
});

it('the compiler reports one error for each mistake, and no other error', () => {
  expect(errors.map(({ line }) => line)).toEqual(cases.map((_, index) => firstLine + index));
});

describe.each(Object.keys(groups) as (keyof typeof groups)[])(
  'the compiler error for %s',
  (group) => {
    it.each(groups[group])('points at %s', (_, code, message) => {
      const line = firstLine + cases.findIndex((aCase) => aCase[1] === code);
      const error = errors.find((anError) => anError.line === line);
      expect(error?.column).toBe(code.indexOf(MARK) + MARK.length + 1);
      expect(error?.text).toContain(message);
      expect(error?.text).not.toContain('...');
    });
  },
);
