import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `note_failure(w, d, p_dead_reason, p_disable_after_ms, p_now_ms)`: an attempt of a webhook failed, and its delivery
 * is given up for a reason, or is not (`NULL`). Answers the webhook, which that may have disabled, for the reason
 * `gone` or `failing`.
 */
export const noteFailure: SqlDefinition = defineStep({
  name: 'note_failure',
  params:
    'w webhooks, d deliveries, p_dead_reason text, p_disable_after_ms bigint, p_now_ms bigint',
  returns: 'webhooks',
  body: `
  w.failing_since_ms := coalesce(w.failing_since_ms, p_now_ms);
  IF w.disabled_at_ms IS NULL THEN
    w.disabled_reason := CASE
      WHEN p_dead_reason = 'gone' THEN 'gone'
      WHEN p_now_ms - w.failing_since_ms >= p_disable_after_ms
        AND (p_dead_reason IS NOT NULL OR p_now_ms - d.created_at_ms >= p_disable_after_ms) THEN 'failing'
    END;
    IF w.disabled_reason IS NOT NULL THEN w.disabled_at_ms := p_now_ms; END IF;
  END IF;
  RETURN w;
`,
});
