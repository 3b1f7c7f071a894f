import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './counted-lines.ts';
import { LINES } from './lines.ts';

const LEAVE_COUNTED_LINES = defineFragment({
  uses: [LINES, COUNTED_LINES],
  rareFunction: 'leaveCountedLines(webhook, id, isFirst)',
  body: `
  local kind, parkedKind = linesOf(isFirst)
  leave(kind, webhook, id)
  leave(parkedKind, webhook, id)
`,
});

/** `leaveLines(line, id, isFirst)`: a delivery leaves its line, and those that are parked in it. */
export const LEAVE_LINES = defineFragment({
  uses: [KEY_OF, LEAVE_COUNTED_LINES],
  lua: `
local function leaveLines(line, id, isFirst)
  if isFirst and line.parked == 0 then
    redis.call('ZREM', keyOf('queued', line.webhook), id)
  elseif isFirst or line.retries ~= 0 then
    leaveCountedLines(line.webhook, id, isFirst)
  end
end
`,
});
