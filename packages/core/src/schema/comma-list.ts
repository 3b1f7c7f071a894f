/**
 * The items of a comma separated list. Spaces are tolerated around a comma, but not at the ends of the list. Without a
 * regular expression, so that the time is linear in the length, even for many spaces.
 */
export function splitCommaList(list: string): string[] {
  const items = list.split(',');
  const last = items.length - 1;
  return items.map((item, at) => {
    const start = at > 0 ? item.trimStart() : item;
    return at < last ? start.trimEnd() : start;
  });
}
