import { SCOPES, type Scope, type ScopeType } from './scope.ts';

const GIVEN: Readonly<Record<Scope, ScopeType>> = {
  user: {},
  admin: { sensitive: true },
  internal: { sensitive: true },
  auth: { sensitive: true, stepUp: true },
};

/**
 * The scopes of an app, and what each means. Whatever was stored may name others, which the app has no more.
 *
 * What is in the table is a `Scope` to all of core, be it given or the app's own: the compiler knows the names of the
 * app by the type parameters of `createAuth` alone.
 */
export interface ScopeTable {
  /** Canonical order: the given scopes, then those of the app. */
  readonly names: readonly Scope[];
  /** Those that are for the moment after a login. */
  readonly stepUp: readonly Scope[];
  /** What the app says of its own, by name. */
  readonly own: ReadonlyMap<string, ScopeType>;
  has(value: unknown): value is Scope;
  /** Those of the app among these, each once, in canonical order, so that equal grants compare and print alike. */
  canonical(scopes: Iterable<string>): readonly Scope[];
  /** Whether every use of a credential with these scopes must ask if it still lives, whatever that costs. */
  needsLiveness(scopes: readonly string[]): boolean;
  /** Whether one of these is for the moment after a login. */
  stepsUp(scopes: readonly string[]): boolean;
  /** What is left of scopes that were granted a while ago: neither those that step up, nor those that are gone. */
  lasting(granted: readonly string[]): readonly Scope[];
}

/** @param own - the app's scopes, in the order in which a token lists them after the given ones */
export function createScopeTable(own: Readonly<Record<string, ScopeType>> = {}): ScopeTable {
  const types = new Map(Object.entries({ ...GIVEN, ...own }));
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
      const wanted = new Set(scopes);
      return names.filter((name) => wanted.has(name));
    },
    needsLiveness: (scopes) => scopes.some((scope) => sensitive.has(scope)),
    stepsUp,
    lasting: (granted) => granted.filter(has).filter((scope) => !stepUp.includes(scope)),
  };
}

/** The scopes of an app that adds none. */
export const givenScopes: ScopeTable = createScopeTable();
