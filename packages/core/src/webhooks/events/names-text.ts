/** How many names a message lists at most. */
const MAX_LISTED = 20;

/** The names of events for a message; if there are many, only the first ones and the number of the others. */
export function namesText(names: readonly string[]): string {
  if (names.length <= MAX_LISTED) return names.join(', ');
  return `${names.slice(0, MAX_LISTED).join(', ')} and ${names.length - MAX_LISTED} others`;
}
