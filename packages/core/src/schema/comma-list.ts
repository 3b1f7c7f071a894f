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
