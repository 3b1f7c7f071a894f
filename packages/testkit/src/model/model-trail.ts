/** How many steps are shown: enough to explain most disagreements, and few enough to read. */
const SHOWN_STEPS = 12;

interface NotedStep {
  /** The user it was about; `null`: all of them, such as a wait. */
  readonly of: string | null;
  readonly line: string;
}

/** The steps that were answered alike, so that the first disagreement can be shown with what led to it. */
export class ModelTrail {
  readonly #steps: NotedStep[] = [];

  note(line: string, of: string | null = null): void {
    this.#steps.push({ of, line });
  }

  noteAnswered(step: string, answer: unknown, of: string | null = null): void {
    this.note(`${step}: ${inShort(answer)}`, of);
  }

  /** The last steps, without those about other users. */
  before(of: string | null = null): readonly string[] {
    return this.#steps
      .filter((step) => step.of === null || of === null || step.of === of)
      .slice(-SHOWN_STEPS)
      .map(({ line }) => line);
  }
}

function inShort(answer: unknown): string {
  if (Array.isArray(answer)) return `${answer.length} listed`;
  if (typeof answer !== 'object' || answer === null) return String(answer ?? 'done');
  return 'outcome' in answer ? String(answer.outcome) : 'found';
}
