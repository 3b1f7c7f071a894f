/** What was checked. */
export type ReadinessPart = 'modules' | 'passwords' | 'users' | 'storage' | 'keys' | 'instances';

/** One thing that would fail later, and what to do about it. */
export interface ReadinessFinding {
  readonly part: ReadinessPart;
  /** Such as `storage_not_migrated`, `argon2_unavailable` or `issuer_differs`. Codes may be added in minor versions. */
  readonly code: string;
  /** What is wrong, and what to do. Holds no secret of ours; it may quote the message of a driver. */
  readonly message: string;
}

/** The app would start, and fail at its first requests: all findings in one error. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
  readonly code = 'not_ready';
  readonly findings: readonly ReadinessFinding[];

  constructor(findings: readonly ReadinessFinding[]) {
    const lines = findings.map(({ part, code, message }) => `- ${part}: ${message} [${code}]`);
    super(['The app is not ready:', ...lines].join('\n'));
    this.findings = findings;
  }
}
