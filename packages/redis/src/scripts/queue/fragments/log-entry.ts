import { defineFragment } from '../../../define-fragment.ts';

/**
 * An entry of `log` or `fresh` is `<ms> <id>`: the delivery of the message that was published at this time with this
 * id. If the message has expired and its id was published again, the entry with the earlier time is obsolete.
 *
 * `parseEntry(entry)`: the time, as text, and the id.
 */
export const LOG_ENTRY_TEXT = defineFragment({
  lua: `
local function parseEntry(entry)
  return entry:match('^(%d+) (.*)$')
end
`,
});
