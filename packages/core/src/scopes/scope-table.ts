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
  /** The scopes that are for the time after a login. */
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
  /** Whether one of these scopes is for the time after a login. */
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
export const givenScopes: ScopeTable = createScopeTable();
