/**
 * The items of a comma separated list. Spaces around a comma are tolerated, at the ends of the list they are
 * not. Linear in the length, however many spaces there are: no regular expression.
 */
export function splitCommaList(list: string): string[] {
  const items = list.split(',');
  const last = items.length - 1;
  return items.map((item, at) => {
    const start = at > 0 ? item.trimStart() : item;
    return at < last ? start.trimEnd() : start;
  });
}
