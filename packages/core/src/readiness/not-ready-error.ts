/** The part of the app that was checked. */
export type ReadinessPart = 'modules' | 'passwords' | 'users' | 'storage' | 'keys' | 'instances';

/** A problem that would make requests fail later, and its remedy. */
export interface ReadinessFinding {
  readonly part: ReadinessPart;
  /** Such as `storage_not_migrated`, `argon2_unavailable` or `issuer_differs`. Codes may be added in minor versions. */
  readonly code: string;
  /** The problem and its remedy. Contains no secret of Latchhook, but may quote the message of a driver. */
  readonly message: string;
}

/** The app would fail at its first requests. The error has all findings. */
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
