/** Something did not work that should have. Whoever asked was answered 500 or 503, or nothing. */
export interface FaultSecurityEvent {
  readonly type: 'fault';
  /** `host`: what the app has read and lost, or has configured so that it cannot work. */
  readonly where: 'storage' | 'directory' | 'internal' | 'host' | 'delivery';
  /** An `Error` for whoever listens: name, message, stack and causes, and nothing that a driver has added. */
  readonly error: unknown;
}
