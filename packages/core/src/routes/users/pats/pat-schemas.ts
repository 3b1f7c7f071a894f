import * as v from 'valibot';
import type { AccountIdKind } from '../../../account-id.ts';
import { ACCOUNT_ID_FIELDS } from '../../../schema/account-id-fields.ts';
import { time } from '../../../schema/answer-fields.ts';
import { filledText, integer, listOf, text } from '../../../schema/basic-fields.ts';
import { describedAs } from '../../../schema/described-as.ts';
import { pageQuery } from '../../../schema/list-page.ts';
import { named } from '../../../schema/named.ts';
import type { ScopeTable } from '../../../scopes/scope-table.ts';

/*
 * The only definition of requests and responses of personal access tokens. The body is strict: a misspelt `account_id`
 * must not make a token for all accounts. Every message is constant.
 */

const MAX_NAME_CHARS = 100;

/** Counts code points, as JSON Schema does. */
function isShort(name: string): boolean {
  return name.length <= 2 * MAX_NAME_CHARS && [...name].length <= MAX_NAME_CHARS;
}

/** Storages differ in how they keep a lone surrogate or control characters. */
function isPrintable(name: string): boolean {
  return name.isWellFormed() && !/\p{Cc}/u.test(name);
}

export const patPageQuery = v.object(pageQuery);

/** The schemas that contain the app's scopes, or ids of its accounts. */
export function patSchemas(scopeTable: ScopeTable, accountIdKind: AccountIdKind) {
  const ids = ACCOUNT_ID_FIELDS[accountIdKind];

  const newPatFields = named(
    'NewPersonalAccessToken',
    v.strictObject({
      name: v.pipe(
        filledText,
        v.check(isShort, `must have at most ${MAX_NAME_CHARS} characters`),
        v.check(isPrintable, 'must have no control characters'),
        v.description('The name that the owner gives the token, without control characters.'),
        describedAs({ maxLength: MAX_NAME_CHARS }),
      ),
      scopes: v.pipe(
        listOf(v.pipe(text, describedAs({ enum: scopeTable.lasting(scopeTable.names) }))),
        describedAs({ minItems: 1 }),
      ),
      expiration_seconds: v.optional(
        v.pipe(
          integer,
          v.minValue(600, 'must be at least 600'),
          v.description(
            'Lifetime in seconds; clamped to the configured maximum. Default: 90 days.',
          ),
        ),
      ),
      account_id: v.optional(
        ids.boundAccount(
          'The only account that the token acts for. Default: the account of the access token, or none.',
        ),
      ),
    }),
  );

  const patAnswer = named(
    'PersonalAccessToken',
    v.strictObject({
      id: v.string(),
      name: v.string(),
      prefix: v.pipe(v.string(), v.description('The beginning of the token.')),
      scopes: v.pipe(v.array(v.picklist(scopeTable.names)), v.readonly()),
      account_id: v.nullable(ids.inResponse),
      created_at: time,
      expires_at: time,
      last_used_at: v.nullable(time),
    }),
  );

  const newPatAnswer = named(
    'CreatedPersonalAccessToken',
    v.strictObject({
      ...patAnswer.entries,
      token: v.pipe(v.string(), v.description('The token, shown only this once.')),
    }),
  );

  return { newPatFields, patAnswer, newPatAnswer };
}

export type PatSchemas = ReturnType<typeof patSchemas>;
