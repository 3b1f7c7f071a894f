import { defineFragment } from '../../../define-fragment.ts';
import { DROP_FORGOTTEN } from './forget.ts';

/** `dropFromLines(line)`: removes forgotten deliveries from the front of both lines; returns how many. */
export const DROP_FROM_LINES = defineFragment({
  uses: [DROP_FORGOTTEN],
  rareFunction: 'dropFromLines(line)',
  body: `
  local dropped = dropForgotten(line.webhook, 'queued')
  if line.retries ~= 0 then dropped = dropped + dropForgotten(line.webhook, 'retries') end
  if dropped > 0 then line.retries = nil end
  return dropped
`,
});
