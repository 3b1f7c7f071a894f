import { AuthError } from '../errors.ts';
import { SCOPES, type Scope, type ScopeType } from './scope.ts';

const BUILT_IN: Readonly<Record<Scope, ScopeType>> = {
  user: {},
  admin: { sensitive: true },
  internal: { sensitive: true },
  auth: { sensitive: true, stepUp: true },
};

/**
 * The scopes of an app, and what each means. Stored grants may name others, which the app no longer has.
 *
 * Core types every scope in the table as `Scope`, even the app's own: only the type parameters of `createAuth` know the
 * names of the app's own scopes.
 */
export interface ScopeTable {
  /** Canonical order: the built-in scopes, then those of the app. */
  readonly names: readonly Scope[];
  /** The scopes that are only for the minutes after a login. */
  readonly stepUp: readonly Scope[];
  /** The app's own scopes, by name. */
  readonly own: ReadonlyMap<string, ScopeType>;
  has(value: unknown): value is Scope;
  /**
   * The members of `scopes` that the app has, each once, in canonical order, so that equal grants are written alike.
   */
  canonical(scopes: Iterable<string>): readonly Scope[];
  /** Whether every use of a credential with these scopes must ask the store if the credential is live. */
  needsLiveness(scopes: readonly string[]): boolean;
  /** Whether one of these scopes is only for the minutes after a login. */
  stepsUp(scopes: readonly string[]): boolean;
  /** The granted scopes without step-up scopes, and without scopes that the app no longer has. */
  lasting(granted: readonly string[]): readonly Scope[];
}

/** @param own - the app's scopes, in the order in which a token lists them after the built-in scopes */
export function createScopeTable(own: Readonly<Record<string, ScopeType>> = {}): ScopeTable {
  const types = new Map(Object.entries({ ...BUILT_IN, ...own }));
  const names = [...SCOPES, ...(Object.keys(own) as Scope[])];
  const sensitive = new Set<string>(names.filter((name) => types.get(name)?.sensitive === true));
  const stepUp = names.filter((name) => types.get(name)?.stepUp === true);
  const has = (value: unknown): value is Scope => types.has(value as Scope);
  const stepsUp = (scopes: readonly string[]) => stepUp.some((scope) => scopes.includes(scope));

  return {
    names,
    stepUp,
    own: new Map(Object.entries(own)),
    has,
    canonical(scopes) {
      const requested = new Set(scopes);
      return names.filter((name) => requested.has(name));
    },
    needsLiveness: (scopes) => scopes.some((scope) => sensitive.has(scope)),
    stepsUp,
    lasting: (granted) => granted.filter(has).filter((scope) => !stepUp.includes(scope)),
  };
}

/** The scopes of an app that adds none. */
export const builtInScopes: ScopeTable = createScopeTable();

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
  // Standard clients send an empty `scope` to request nothing. The reader of forms has left it out already (RFC 6749
  // 3.2).
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

/**
 * The items of a comma separated list. Spaces are tolerated around a comma, but not at the ends of the list. Uses no
 * regular expression, so that the time is linear in the length, even for many spaces.
 */
export function splitCommaList(list: string): string[] {
  const items = list.split(',');
  const last = items.length - 1;
  return items.map((item, index) => {
    const start = index > 0 ? item.trimStart() : item;
    return index < last ? start.trimEnd() : start;
  });
}
