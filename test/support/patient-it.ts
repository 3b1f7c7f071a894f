import { it } from 'vitest';

/** Registers a claim that may ask a database many thousand times, on a machine that is busy with more than that. */
export function patientIt(claim: string, prove: () => Promise<void>): void {
  it(claim, { timeout: 180_000 }, prove);
}
