/** More are not listed in a message. */
const MAX_LISTED = 20;

/** The names of events in a sentence; the first of them where they are many. */
export function namesText(names: readonly string[]): string {
  if (names.length <= MAX_LISTED) return names.join(', ');
  return `${names.slice(0, MAX_LISTED).join(', ')} and ${names.length - MAX_LISTED} others`;
}
