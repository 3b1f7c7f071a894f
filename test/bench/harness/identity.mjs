/** The one client and the users that every measured server knows, as environment variables. */
export const identity = {
  BENCH_CLIENT_ID: 'bench-client',
  BENCH_CLIENT_SECRET: 'bench-secret',
  BENCH_USERNAME: 'bench@example.com',
  BENCH_MFA_USERNAME: 'bench-mfa@example.com',
  BENCH_TOTP_SECRET: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  BENCH_PASSWORD: 'correct horse battery staple',
};

/** The name of one of many users, whom only Latchhook's servers know. */
export const userNumber = (nth) => `bench-${nth}@example.com`;
