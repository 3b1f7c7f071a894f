/**
 * The items of a comma separated list. Spaces are tolerated around a comma, but not at the ends of the list. No regular
 * expression, so linear in the length, however many spaces there are.
 */
export function splitCommaList(list: string): string[] {
  const items = list.split(',');
  const last = items.length - 1;
  return items.map((item, at) => {
    const start = at > 0 ? item.trimStart() : item;
    return at < last ? start.trimEnd() : start;
  });
}
