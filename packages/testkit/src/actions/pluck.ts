/** The same member of all items: `pluck([{ id: 'a' }, { id: 'b' }], 'id')` returns `['a', 'b']`. */
export function pluck<Item, Name extends keyof Item>(
  items: readonly Item[],
  name: Name,
): Item[Name][] {
  return items.map((item) => item[name]);
}
