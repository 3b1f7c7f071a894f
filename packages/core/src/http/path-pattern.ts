/** The values of a path's parameters, by name, as received: not decoded, not checked, never empty. */
export type PathParams = Readonly<Record<string, string>>;

/** The type of {@link paramNames} for a literal path. */
export type ParamName<TPath extends string> = TPath extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never;

/** The names of the parameters in a path such as `/webhooks/{id}`. */
export function paramNames(path: string): readonly string[] {
  return path.split('/').flatMap((segment) => paramName(segment) ?? []);
}

/**
 * Matches a path against a pattern, both split at their slashes. Returns the parameters; `undefined` if the path does
 * not match.
 */
export function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): PathParams | undefined {
  if (segments.length !== pattern.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, patternSegment] of pattern.entries()) {
    const segment = segments[index] ?? '';
    const name = paramName(patternSegment);
    const isMatch = name === undefined ? segment === patternSegment : segment !== '';
    if (!isMatch) return undefined;
    if (name !== undefined) params[name] = segment;
  }
  return params;
}

function paramName(segment: string): string | undefined {
  return segment.startsWith('{') ? segment.slice(1, -1) : undefined;
}
