import { Socket } from 'node:net';
import { HandshakeCooldowns, type HandshakeParties } from './handshake-cooldowns.ts';

/** Bytes that a receiver has sent once its certificates are here. */
export const CERTIFICATES = 4_000;

/** Of which so many bytes have been read. */
function wireWith(bytesRead: number): Socket {
  const wire = new Socket().on('error', () => {});
  return Object.defineProperty(wire, 'bytesRead', { value: bytesRead, configurable: true });
}

/** Each origin is that of another account, unless the test says otherwise. */
function partiesOf(origin: string, accountId = Number.parseInt(origin, 36)): HandshakeParties {
  return { origin, accountId };
}

/** Handshakes at a clock that the test turns. */
export function cooldownScene() {
  const clock = { now: 5_000, busy: 100, nowMs: () => clock.now, busyMs: () => clock.busy };
  const cooldowns = new HandshakeCooldowns(clock);
  return {
    clock,
    isCoolingDown: (origin: string, accountId?: number) =>
      cooldowns.isCoolingDown(partiesOf(origin, accountId)),
    begin(origin: string, accountId?: number) {
      const wire = wireWith(CERTIFICATES);
      return { wire, end: cooldowns.begin(partiesOf(origin, accountId), wire) };
    },
    shakeHands(
      origin: string,
      costMs: number,
      outcome: 'done' | 'failed',
      { bytesRead = CERTIFICATES, accountId = partiesOf(origin).accountId } = {},
    ) {
      const end = cooldowns.begin({ origin, accountId }, wireWith(bytesRead));
      clock.busy += costMs;
      end(outcome);
    },
  };
}
