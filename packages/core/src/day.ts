export const DAY_SECONDS = 86_400;
export const DAY_MS = 1_000 * DAY_SECONDS;
