/**
 * How long tests wait for a result whose delay they do not test, ms: longer than the result takes on a busy machine,
 * and shorter than the timeout of a test.
 */
export const PATIENT_MS = 60_000;
