/**
 * How long tests wait for what must come, where they claim nothing about how soon, ms: longer than it takes on a
 * machine that is busy with other work, and shorter than a test may take.
 */
export const PATIENT_MS = 60_000;
