import { describe, expect, it } from 'vitest';
import { EventsInFlight } from './events-in-flight.ts';

const ref = (nth: number) => ({ webhookId: 'wh_1', deliveryId: `msg_${nth}`, attempt: 1 });
const body = (type: string): string => JSON.stringify({ id: 'msg_1', type, data: {} });

describe('the events of attempts in flight', () => {
  it('are known until the attempt has ended', () => {
    const events = new EventsInFlight();
    events.begin({ ...ref(1), body: body('Contact.Added') });
    expect(events.end(ref(2))).toBeUndefined();
    expect(events.end(ref(1))).toBe('Contact.Added');
    expect(events.end(ref(1))).toBeUndefined();
  });

  it('are still known to the next attempt if a stalled attempt ends after its claim', () => {
    const events = new EventsInFlight();
    events.begin({ ...ref(1), body: body('Contact.Added') });
    events.begin({ ...ref(1), attempt: 2, body: body('Contact.Added') });
    expect(events.end(ref(1))).toBe('Contact.Added');
    expect(events.end({ ...ref(1), attempt: 2 })).toBe('Contact.Added');
  });

  it('are not read from the data', () => {
    const events = new EventsInFlight();
    const data = { id: 'x', type: 'Contact.Added' };
    events.begin({ ...ref(1), body: JSON.stringify({ data }) });
    expect(events.end(ref(1))).toBeUndefined();
  });

  it('are evicted, the oldest first, beyond ten thousand attempts that never end', () => {
    const events = new EventsInFlight();
    for (let nth = 0; nth <= 10_000; nth += 1) {
      events.begin({ ...ref(nth), body: body('Contact.Added') });
    }
    expect(events.end(ref(0))).toBeUndefined();
    expect(events.end(ref(1))).toBe('Contact.Added');
    expect(events.end(ref(10_000))).toBe('Contact.Added');
  });
});
