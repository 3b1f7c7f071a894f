import * as v from 'valibot';
import type { AccountIdKind } from '../account-id.ts';
import { MAX_PASSWORD_CODE_POINTS } from '../passwords/password-text.ts';
import { ACCOUNT_ID_FIELDS } from '../schema/account-id-fields.ts';
import { wholeNumber } from '../schema/answer-fields.ts';
import { filledText, integer, listOf, pastedToken, text } from '../schema/basic-fields.ts';
import { describedAs } from '../schema/described-as.ts';
import { isEmailAddress, MAX_EMAIL_CHARS } from '../schema/email-address.ts';
import { named } from '../schema/named.ts';
import { codeText, typedCode } from '../schema/typed-code.ts';
import { type ScopeTable, splitCommaList } from '../scopes/scope-table.ts';

/*
 * The only definition of requests and responses of the token endpoints, for validation, handler types and the OpenAPI
 * description. Every message is constant.
 */

export const expirationSeconds = v.optional(
  v.pipe(
    integer,
    v.minValue(600, 'must be at least 600'),
    v.description('Lifetime of the access token in seconds; clamped to the configured maximum.'),
  ),
);

const scopesOr = (fallback: string, { names }: ScopeTable) =>
  v.optional(
    v.pipe(
      text,
      v.description(`Comma separated list of ${names.join(', ')}. Default: ${fallback}.`),
    ),
  );

const scope = v.optional(
  v.pipe(text, v.description('The same, space separated (RFC 6749 3.3); in place of `scopes`.')),
);

const refreshToken = v.pipe(filledText, v.description('The newest refresh token of the session.'));

/** A field of the other grant is ignored, but must have the right type, so `null` is rejected in both grants. */
const otherGrantField = v.optional(
  v.pipe(text, v.description('A field of the other grant; ignored.')),
);

/** Read first because the grant type decides which other fields there are. */
export const grantTypeField = v.object({ grant_type: v.optional(text) });

/** The values of `grant_type` at `POST /token`; the first is the default. */
export const GRANT_TYPES = ['password', 'refresh_token'] as const;

export const putTokenFields = named(
  'DeprecatedRefreshGrant',
  v.object({
    grant_type: v.optional(v.literal('refresh_token')),
    refresh_token: refreshToken,
    expiration_seconds: expirationSeconds,
  }),
);

const BAD_CODE = 'must be six digits or a recovery code';
const CODE_TEXT = 'Six digits of the app, or a recovery code.';

const NOT_UNIQUE = 'must be unique';

function isUnique(items: string[]): boolean {
  return new Set(items).size === items.length;
}

export const challengeFields = (scopeTable: ScopeTable) =>
  named(
    'ChallengeGrant',
    v.object({
      challenge: filledText,
      code: v.pipe(typedCode(BAD_CODE), v.description(CODE_TEXT)),
      scopes: v.optional(
        v.pipe(
          listOf(v.pipe(text, describedAs({ enum: scopeTable.names }))),
          v.check(isUnique, NOT_UNIQUE),
          v.description('Default: ["user"].'),
          describedAs({ minItems: 1, uniqueItems: true }),
        ),
      ),
      scope,
      expiration_seconds: expirationSeconds,
    }),
  );

/** A form has no lists, and a repeated parameter is rejected (RFC 6749 3.2), so scopes are one string. */
export const challengeForm = (scopeTable: ScopeTable) =>
  named(
    'ChallengeGrantForm',
    v.object({
      ...challengeFields(scopeTable).entries,
      code: v.pipe(codeText(BAD_CODE), v.description(CODE_TEXT)),
      scopes: v.optional(
        v.pipe(
          text,
          v.description(
            `Comma separated list of ${scopeTable.names.join(', ')}, each once at most. Default: user.`,
          ),
          v.transform(splitCommaList),
          v.check(isUnique, NOT_UNIQUE),
        ),
      ),
    }),
  );

export const revokeFields = named(
  'RevocationRequest',
  v.object({
    token: v.pipe(
      pastedToken,
      v.description('A refresh token, an access token or a personal access token.'),
    ),
    token_type_hint: v.optional(text),
  }),
);

/** Empty: the status is the whole answer (RFC 7009 2.2). */
export const revokedAnswer = named('RevocationAnswer', v.strictObject({}));

const VERSIONS = ['v1', 'v2'] as const;

/** `version` selects a representation, never a behaviour. */
export type Version = (typeof VERSIONS)[number];

/** The version of the representation; each endpoint has its own default. */
export const versionQuery = (fallback: Version) =>
  v.object({ version: v.optional(v.picklist(VERSIONS, 'must be v1 or v2'), fallback) });

export const challengeAnswerV1 = named('ChallengeV1', v.strictObject({ challenge: v.string() }));

export const challengeAnswerV2 = named(
  'ChallengeV2',
  v.strictObject({
    ...challengeAnswerV1.entries,
    error: v.literal('mfa_required'),
    error_description: v.string(),
    challenge_expires_in: wholeNumber,
    methods: v.pipe(v.array(v.picklist(['totp', 'recovery_code'])), v.readonly()),
  }),
);

export const challengeAnswer = named('Challenge', v.union([challengeAnswerV1, challengeAnswerV2]));

/** The schemas that contain the app's scopes, or ids of its accounts. */
export function tokenSchemas(scopeTable: ScopeTable, accountIdKind: AccountIdKind) {
  const ids = ACCOUNT_ID_FIELDS[accountIdKind];

  const passwordGrantFields = named(
    'PasswordGrant',
    v.object({
      grant_type: v.optional(v.literal('password')),
      username: v.pipe(
        text,
        // Before the normalisation, which takes quadratic time for a run of combining marks.
        v.maxLength(512, 'must be an e-mail address'),
        // Normalised before the check, so that the checked text is the one that is looked up.
        v.normalize('NFC'),
        v.check(isEmailAddress, 'must be an e-mail address'),
        v.description(`E-mail address, of ${MAX_EMAIL_CHARS} characters at most in NFC.`),
        // E-mail addresses beyond ASCII (RFC 6531) pass the check too.
        describedAs({ format: 'idn-email', maxLength: MAX_EMAIL_CHARS }),
      ),
      password: v.pipe(filledText, describedAs({ maxLength: MAX_PASSWORD_CODE_POINTS })),
      refresh_token: otherGrantField,
      account_id: v.optional(ids.boundAccount('The only account that the token acts for.')),
      scopes: scopesOr('user', scopeTable),
      scope,
      expiration_seconds: expirationSeconds,
    }),
  );

  const refreshGrantFields = named(
    'RefreshGrant',
    v.object({
      grant_type: v.literal('refresh_token'),
      refresh_token: refreshToken,
      username: otherGrantField,
      password: otherGrantField,
      account_id: v.optional(
        ids.boundAccount(
          'The account of the login; if it has none, an account for this one token.',
        ),
      ),
      scopes: scopesOr(`the granted scopes, without ${scopeTable.stepUp.join(', ')}`, scopeTable),
      scope,
      expiration_seconds: expirationSeconds,
    }),
  );

  const tokenAnswerV1 = named(
    'TokensV1',
    v.strictObject({
      access_token: v.string(),
      token_type: v.literal('bearer'),
      expires_in: wholeNumber,
      refresh_token: v.string(),
      accounts: v.pipe(v.array(ids.inResponse), v.readonly()),
    }),
  );

  const tokenAnswerV2 = named(
    'TokensV2',
    v.strictObject({
      ...tokenAnswerV1.entries,
      scope: v.string(),
      refresh_expires_in: wholeNumber,
    }),
  );

  /** The response to a client that asks for cookies. */
  const cookieAnswer = named(
    'CookieSession',
    v.strictObject({
      sub: v.pipe(v.string(), v.description('The id of the user.')),
      token_type: v.literal('bearer'),
      expires_in: wholeNumber,
      accounts: v.pipe(v.array(ids.inResponse), v.readonly()),
      scope: v.string(),
      refresh_expires_in: wholeNumber,
    }),
  );

  const tokenAnswer = named('Tokens', v.union([tokenAnswerV1, tokenAnswerV2]));

  const tokenOrCookieAnswer = named(
    'TokensOrCookies',
    v.union([tokenAnswerV1, tokenAnswerV2, cookieAnswer]),
  );

  const grants = { password: passwordGrantFields, refresh_token: refreshGrantFields };
  return {
    grants: grants satisfies Readonly<Record<(typeof GRANT_TYPES)[number], unknown>>,
    tokenAnswerV1,
    tokenAnswerV2,
    cookieAnswer,
    tokenAnswer,
    tokenOrCookieAnswer,
  };
}

export type TokenSchemas = ReturnType<typeof tokenSchemas>;
