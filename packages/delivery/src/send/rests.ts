/** The longest rest, ms. */
const MAX_REST_MS = 600_000;
/** How many are remembered. */
const MAX_KEYS = 1_000;

/** How long whoever costs something rests. */
export interface RestRule {
  /** How many times as long as what it has cost. One in so many ms is what it may go on to cost. */
  readonly factor: number;
  /** What it may have cost before it rests at all, ms. */
  readonly freeMs: number;
}

/**
 * Lets whoever has cost too much of this process's time rest. Each is in debt for `factor` times as long as what it has
 * cost, one cost after the other, and rests while that exceeds the same multiple of `freeMs`.
 */
export class Rests<Key> {
  readonly #rule: RestRule;
  readonly #nowMs: () => number;
  /** Until when each is in debt. The one that was charged longest ago is first. */
  readonly #indebtedUntilMs = new Map<Key, number>();

  constructor(rule: RestRule, nowMs: () => number) {
    this.#rule = rule;
    this.#nowMs = nowMs;
  }

  isResting(key: Key): boolean {
    const untilMs = this.#indebtedUntilMs.get(key);
    if (untilMs === undefined) return false;
    const nowMs = this.#nowMs();
    if (nowMs >= untilMs) this.#indebtedUntilMs.delete(key);
    return nowMs < untilMs - this.#freeDebtMs;
  }

  charge(key: Key, costMs: number): void {
    const nowMs = this.#nowMs();
    const indebtedUntilMs = Math.max(nowMs, this.#indebtedUntilMs.get(key) ?? 0);
    this.#indebtedUntilMs.delete(key);
    const [oldest] = this.#indebtedUntilMs.keys();
    if (this.#indebtedUntilMs.size >= MAX_KEYS && oldest !== undefined)
      this.#indebtedUntilMs.delete(oldest);
    const lastMs = nowMs + this.#freeDebtMs + MAX_REST_MS;
    this.#indebtedUntilMs.set(key, Math.min(indebtedUntilMs + costMs * this.#rule.factor, lastMs));
  }

  /** Takes back what it was charged. */
  forgive(key: Key, costMs: number): void {
    const untilMs = this.#indebtedUntilMs.get(key);
    if (untilMs === undefined) return;
    this.#indebtedUntilMs.set(key, untilMs - costMs * this.#rule.factor);
  }

  get #freeDebtMs(): number {
    return this.#rule.freeMs * this.#rule.factor;
  }
}
