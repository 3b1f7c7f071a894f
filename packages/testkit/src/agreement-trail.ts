/** As many as lead to most disagreements, and as a person reads. */
const TOLD = 12;

interface Told {
  /** Whose step it was; `null`: everybody's, such as a wait. */
  readonly of: string | null;
  readonly line: string;
}

/** The steps that were answered alike, so that the first that is not can be told with what led to it. */
export class AgreementTrail {
  readonly #steps: Told[] = [];

  note(line: string, of: string | null = null): void {
    this.#steps.push({ of, line });
  }

  noteAnswered(step: string, answer: unknown, of: string | null = null): void {
    this.note(`${step}: ${inShort(answer)}`, of);
  }

  /** The last steps, without those that were somebody else's. */
  before(of: string | null = null): readonly string[] {
    return this.#steps
      .filter((step) => step.of === null || of === null || step.of === of)
      .slice(-TOLD)
      .map(({ line }) => line);
  }
}

function inShort(answer: unknown): string {
  if (Array.isArray(answer)) return `${answer.length} listed`;
  if (typeof answer !== 'object' || answer === null) return String(answer ?? 'done');
  return 'outcome' in answer ? String(answer.outcome) : 'found';
}
