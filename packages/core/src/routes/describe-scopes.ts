import type { ScopeTable } from '../scopes/scope-table.ts';

/** What a client has to know of a scope that is `sensitive` or `stepUp`. */
const MEANINGS = {
  sensitive:
    'at every use, the storage is asked if the session is live, so that a revocation takes effect immediately.',
  stepUp:
    'granted by a login only, for 600 s at most; dropped at refresh, and in no personal access token.',
} as const;

const PROPERTIES = ['sensitive', 'stepUp'] as const;

/**
 * The description of the security scheme: the one place that describes the app's scopes, as the schemas list only their
 * names. Empty if the app has none.
 */
export function describeScopes({ own }: ScopeTable): { readonly description?: string } {
  if (own.size === 0) return {};
  const lines = Array.from(own, ([name, scope]) => {
    const properties = PROPERTIES.filter((property) => scope[property]);
    const marks = properties.length === 0 ? '' : `(${properties.join(', ')})`;
    // A line each: a line break in a description would end the list.
    const description = scope.description?.trim().replaceAll(/\s+/g, ' ');
    return ['-', `\`${name}\``, marks, description].filter(Boolean).join(' ');
  });
  const meanings = PROPERTIES.filter((property) =>
    Array.from(own.values()).some((scope) => scope[property]),
  ).map((property) => `\n\n${property}: ${MEANINGS[property]}`);
  return { description: `Scopes of this app:\n\n${lines.join('\n')}${meanings.join('')}` };
}
