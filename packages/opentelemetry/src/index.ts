export { countSecurityEvents } from './count-security-events.ts';
export { gaugeDeliveries } from './gauge-deliveries.ts';
export { instrument } from './instrument.ts';
export { instrumentDelivery } from './instrument-delivery.ts';
export type { InstrumentOptions } from './instrument-options.ts';
export { instrumentParts } from './instrument-parts.ts';
