import { AuthError } from '../errors.ts';
import { splitCommaList } from '../schema/comma-list.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';

/**
 * The scopes that a request names, in `scopes` or in RFC 6749's `scope`, or `undefined` if it names none.
 *
 * @throws {AuthError} `invalid_request` if both are given; `invalid_scope` for an unknown or empty item
 */
export function requestedScopes(
  fields: {
    readonly scopes?: string | readonly string[] | undefined;
    readonly scope?: string | undefined;
  },
  scopeTable: ScopeTable,
): readonly Scope[] | undefined {
  const { scopes } = fields;
  // Standard clients send an empty `scope` to request nothing. In a form, it is left out already (RFC 6749 3.2).
  const scope = fields.scope === '' ? undefined : fields.scope;
  if (scopes !== undefined && scope !== undefined) {
    throw new AuthError('invalid_request', 'Send `scopes` or `scope`, not both.');
  }
  if (scope !== undefined) return canonicalScopes(scope.split(' '), scopeTable);
  if (typeof scopes === 'string') return canonicalScopes(splitCommaList(scopes), scopeTable);
  return scopes === undefined ? undefined : canonicalScopes(scopes, scopeTable);
}

function canonicalScopes(
  items: readonly string[],
  { has, canonical }: ScopeTable,
): readonly Scope[] {
  if (items.length === 0 || !items.every(has)) {
    throw new AuthError('invalid_scope', 'A scope is unknown or empty.');
  }
  return canonical(items);
}
