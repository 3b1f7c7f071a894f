/**
 * How long is waited for what has to come, where no claim is made of how soon: longer than it takes on a machine
 * that other work has most of, and shorter than a test.
 */
export const PATIENT_MS = 60_000;
