import type { DeliveryEngine } from './delivery-engine.ts';

/** For what looks at options alone: to connect is up to somebody else, and comes later. */
export const unconnectedEngine: DeliveryEngine = {
  name: 'unconnected',
  durable: true,
  sends: true,
  connect: () => {
    throw new Error('connected, though only options were to be looked at');
  },
};
