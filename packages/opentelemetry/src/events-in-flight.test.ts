import { describe, expect, it } from 'vitest';
import { EventsInFlight } from './events-in-flight.ts';

const ref = (nth: number) => ({ accountId: 1, webhookId: 'wh_1', deliveryId: `msg_${nth}` });
const body = (type: string): string => JSON.stringify({ id: 'msg_1', type, data: {} });

describe('the events of attempts in flight', () => {
  it('are known until the attempt has ended', () => {
    const events = new EventsInFlight();
    events.begin(ref(1), body('Contact.Added'));
    expect(events.end(ref(2))).toBeUndefined();
    expect(events.end(ref(1))).toBe('Contact.Added');
    expect(events.end(ref(1))).toBeUndefined();
  });

  it('are not guessed from the data', () => {
    const events = new EventsInFlight();
    events.begin(ref(1), JSON.stringify({ data: { id: 'x', type: 'Contact.Added' } }));
    expect(events.end(ref(1))).toBeUndefined();
  });

  it('are forgotten, the oldest first, where attempts never end', () => {
    const events = new EventsInFlight();
    for (let nth = 0; nth <= 10_000; nth += 1) events.begin(ref(nth), body('Contact.Added'));
    expect(events.end(ref(0))).toBeUndefined();
    expect(events.end(ref(1))).toBe('Contact.Added');
    expect(events.end(ref(10_000))).toBe('Contact.Added');
  });
});
