import { AuthError } from '../errors.ts';
import { splitCommaList } from '../schema/comma-list.ts';
import { canonicalScopes, isScope, type Scope } from '../scope.ts';

/** Far more than a list of all four scopes takes. */
const MAX_CHARS = 256;

/**
 * The scopes that a request names, in `scopes` or in RFC 6749's `scope`, or `undefined` where it names none.
 *
 * @throws {AuthError} `invalid_request` where both are given; `invalid_scope` for an unknown or empty item
 */
export function requestedScopes(fields: {
  readonly scopes?: string | readonly string[] | undefined;
  readonly scope?: string | undefined;
}): readonly Scope[] | undefined {
  const { scopes } = fields;
  // Stock clients send an empty one where they ask for nothing. A form has left it out already (RFC 6749 3.2).
  const scope = fields.scope === '' ? undefined : fields.scope;
  if (scopes !== undefined && scope !== undefined) {
    throw new AuthError('invalid_request', 'Send `scopes` or `scope`, not both.');
  }
  if (scope !== undefined) return getScopes(bounded(scope).split(' '));
  if (typeof scopes === 'string') return getScopes(splitCommaList(bounded(scopes)));
  return scopes === undefined ? undefined : getScopes(scopes);
}

/** A list that is too long to be honest becomes an empty one, which is refused. */
function bounded(list: string): string {
  return list.length > MAX_CHARS ? '' : list;
}

function getScopes(items: readonly string[]): readonly Scope[] {
  if (items.length === 0 || !items.every(isScope)) {
    throw new AuthError('invalid_scope', 'A scope is unknown or empty.');
  }
  return canonicalScopes(items);
}
