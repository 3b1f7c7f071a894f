import { AuthError } from '../errors.ts';
import { type BodyFields, parseBody } from '../http/read-body.ts';
import { grantTypeField } from './token-schemas.ts';

/**
 * The grant that a body asks for; where it names none, the first of those that the endpoint has.
 *
 * @throws {AuthError} `unsupported_grant_type`; `invalid_request` for what is no string
 */
export function readGrantType<TGrant extends string>(
  body: BodyFields,
  grants: readonly [TGrant, ...TGrant[]],
): TGrant {
  const { grant_type: asked = grants[0] } = parseBody(grantTypeField, body);
  const grant = grants.find((known) => known === asked);
  if (grant !== undefined) return grant;
  throw new AuthError('unsupported_grant_type', 'This grant type is not supported.');
}
