import * as v from 'valibot';
import { byAccountIdKind } from '../schema/account-id-fields.ts';
import { wholeNumber } from '../schema/answer-fields.ts';
import { pastedToken, text } from '../schema/basic-fields.ts';
import { named } from '../schema/named.ts';

export const introspectionFields = named(
  'IntrospectionRequest',
  v.object({
    token: v.pipe(
      pastedToken,
      v.description('An access token, a refresh token or a personal access token.'),
    ),
    token_type_hint: v.optional(text),
  }),
);

/** RFC 7662 2.2: nothing else is returned for a token that is not active, not even the reason. */
const inactiveToken = named('InactiveToken', v.strictObject({ active: v.literal(false) }));

export const introspectionAnswers = byAccountIdKind((ids) => {
  const activeToken = named(
    'ActiveToken',
    v.strictObject({
      active: v.literal(true),
      token_type: v.pipe(
        v.picklist(['bearer', 'refresh_token']),
        v.description('`refresh_token`: must not be accepted as a bearer token.'),
      ),
      scope: v.string(),
      sub: v.string(),
      iss: v.string(),
      iat: wholeNumber,
      exp: wholeNumber,
      aud: v.optional(v.string()),
      client_id: v.optional(v.string()),
      jti: v.optional(v.string()),
      sid: v.optional(v.string()),
      accounts: v.optional(v.pipe(v.array(ids.inResponse), v.readonly())),
      account_id: v.optional(ids.inResponse),
    }),
  );
  return named('Introspection', v.union([activeToken, inactiveToken]));
});

export type IntrospectionAnswer = (typeof introspectionAnswers)['integer'];
