import { assertNames, type NamesOf } from '../assert-names.ts';
import { ConfigError } from '../errors.ts';
import { SCOPES, type ScopeType } from '../scopes/scope.ts';
import { builtInScopes, createScopeTable, type ScopeTable } from '../scopes/scope-table.ts';

/** A scope token of RFC 6749 3.3, but for the comma, which separates the items of `scopes`. */
const NAME = /^[!#-+\x2d-[\]-~]{1,64}$/;
const MAX_SCOPES = 64;
/** The limit for all names together, each with a space: a token with all scopes needs room for its other claims. */
const MAX_TOTAL_CHARS = 1_024;

const SCOPE: NamesOf<ScopeType> = { description: true, sensitive: true, stepUp: true };

/**
 * The scopes that every app has, and those of the option `scopes`.
 *
 * @throws {ConfigError} `scopes_invalid`, `option_unknown`; each names the scope
 */
export function resolveScopes(option: unknown): ScopeTable {
  if (option === undefined) return builtInScopes;
  if (typeof option !== 'object' || option === null || Symbol.iterator in option) {
    throw invalid("must be an object of scopes by name, such as { 'billing:read': {} }");
  }
  const scopes = Object.entries(option);
  if (scopes.length > MAX_SCOPES) {
    throw invalid(`must name ${MAX_SCOPES} scopes at most, not ${scopes.length}`);
  }
  for (const [name, scope] of scopes) assertScope(name, scope);
  const { length } = scopes.map(([name]) => `${name} `).join('');
  if (length > MAX_TOTAL_CHARS) {
    throw invalid(
      `must have names of ${MAX_TOTAL_CHARS} characters in all, with one more for each, not ${length}: a token has to hold them`,
    );
  }
  return createScopeTable(Object.fromEntries(scopes));
}

function assertScope(name: string, scope: Partial<Record<keyof ScopeType, unknown>>): void {
  const quotedName = JSON.stringify(name);
  if (SCOPES.some((builtIn) => builtIn === name)) {
    throw invalid(`${quotedName} is a scope that every app has: leave it out`);
  }
  if (!NAME.test(name)) {
    throw invalid(
      `${quotedName} must be 1 to 64 visible ASCII characters, without comma, double quote and backslash (RFC 6749 3.3)`,
    );
  }
  assertNames(`scopes[${quotedName}]`, 'scopes_invalid', scope, SCOPE);
  const { description, sensitive = false, stepUp = false } = scope;
  if (description !== undefined && typeof description !== 'string') {
    throw invalid(`${quotedName}: description must be a string`);
  }
  if (typeof sensitive !== 'boolean')
    throw invalid(`${quotedName}: sensitive must be true or false`);
  if (typeof stepUp !== 'boolean') throw invalid(`${quotedName}: stepUp must be true or false`);
}

function invalid(rule: string): ConfigError {
  return new ConfigError('scopes_invalid', `scopes ${rule}`);
}
