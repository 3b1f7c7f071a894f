import { defineFragment } from '../../../define-fragment.ts';

/**
 * An entry of a log is `<ms> <id>`: the delivery of the message that was published then. One of an id that was
 * published again since, after it had expired, is of its first life, and stands for nothing.
 *
 * `parseEntry(entry)`: the time, ms, and the id.
 */
export const LOG_ENTRY_TEXT = defineFragment({
  lua: `
local function parseEntry(entry)
  local createdAtMs, id = entry:match('^(%d+) (.*)$')
  return tonumber(createdAtMs), id
end
`,
});
