/** Enough steps to explain most differences, and few enough to read. */
const SHOWN_STEPS = 12;

interface TrailStep {
  /** The user whom the step affects; `null`: all users, for example of a wait. */
  readonly userId: string | null;
  readonly line: string;
}

/** The steps with equal results, so that the first difference is shown with the steps before. */
export class ModelTrail {
  readonly #steps: TrailStep[] = [];

  add(line: string, userId: string | null = null): void {
    this.#steps.push({ userId, line });
  }

  addResult(step: string, result: unknown, userId: string | null = null): void {
    this.add(`${step}: ${inShort(result)}`, userId);
  }

  /** The last steps, without those that affect only other users. */
  before(userId: string | null = null): readonly string[] {
    return this.#steps
      .filter((step) => userId === null || step.userId === null || step.userId === userId)
      .slice(-SHOWN_STEPS)
      .map(({ line }) => line);
  }
}

function inShort(result: unknown): string {
  if (Array.isArray(result)) return `${result.length} listed`;
  if (typeof result !== 'object' || result === null) return String(result ?? 'done');
  return 'outcome' in result ? String(result.outcome) : 'found';
}
