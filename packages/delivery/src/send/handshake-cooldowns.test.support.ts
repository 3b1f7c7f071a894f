import { Socket } from 'node:net';
import { HandshakeCooldowns, type HandshakeParties } from './handshake-cooldowns.ts';

/** Bytes that a receiver has sent once its certificates are here. */
export const CERTIFICATES = 4_000;

/** Of which so many bytes have been read. */
function wireWith(bytesRead: number): Socket {
  const wire = new Socket().on('error', () => {});
  return Object.defineProperty(wire, 'bytesRead', { value: bytesRead, configurable: true });
}

/** Each endpoint is that of another account, unless the test says otherwise. */
function partiesOf(endpoint: string, accountId = Number.parseInt(endpoint, 36)): HandshakeParties {
  return { endpoint, accountId };
}

/** Handshakes at a clock that the test turns. */
export function cooldownScene() {
  const clock = { now: 5_000, busy: 100, nowMs: () => clock.now, busyMs: () => clock.busy };
  const cooldowns = new HandshakeCooldowns(clock);
  return {
    clock,
    isCoolingDown: (endpoint: string, accountId?: number) =>
      cooldowns.isCoolingDown(partiesOf(endpoint, accountId)),
    begin(endpoint: string, accountId?: number) {
      const wire = wireWith(CERTIFICATES);
      return { wire, end: cooldowns.begin(partiesOf(endpoint, accountId), wire) };
    },
    shakeHands(
      endpoint: string,
      costMs: number,
      outcome: 'done' | 'failed',
      { bytesRead = CERTIFICATES, accountId = partiesOf(endpoint).accountId } = {},
    ) {
      const end = cooldowns.begin({ endpoint, accountId }, wireWith(bytesRead));
      clock.busy += costMs;
      end(outcome);
    },
  };
}
