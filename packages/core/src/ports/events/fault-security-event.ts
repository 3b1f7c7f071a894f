/** Something has failed that should not. If a request was waiting for it, it was answered 500 or 503. */
export interface FaultSecurityEvent {
  readonly type: 'fault';
  /** `host`: the app has consumed a body and lost it, or is configured so that it cannot work. */
  readonly where: 'storage' | 'user_store' | 'internal' | 'host' | 'delivery';
  /** Listeners get an `Error` with name, message, stack and causes, without the properties that drivers add. */
  readonly error: unknown;
}
