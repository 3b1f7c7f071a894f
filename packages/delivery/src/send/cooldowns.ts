/** The longest cooldown, ms. */
const MAX_COOLDOWN_MS = 600_000;
/** How many are remembered. */
const MAX_KEYS = 1_000;

/** How long whoever costs something cools down. */
export interface CooldownRule {
  /** The cooldown lasts `factor` times the cost, so at most 1/`factor` of the time goes into it. */
  readonly factor: number;
  /** What it may have cost before it cools down at all, ms. */
  readonly freeMs: number;
}

/**
 * The cooldowns of those who have cost too much of this process's time. Each is in debt for `factor` times as long as
 * what it has cost, one cost after the other, and cools down while that exceeds the same multiple of `freeMs`.
 */
export class Cooldowns<Key> {
  readonly #rule: CooldownRule;
  readonly #nowMs: () => number;
  /** Until when each is in debt. The one that was charged longest ago is first. */
  readonly #indebtedUntilMs = new Map<Key, number>();

  constructor(rule: CooldownRule, nowMs: () => number) {
    this.#rule = rule;
    this.#nowMs = nowMs;
  }

  isCoolingDown(key: Key): boolean {
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
    const lastMs = nowMs + this.#freeDebtMs + MAX_COOLDOWN_MS;
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
