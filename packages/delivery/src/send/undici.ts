import { type LazyModule, lazyModule } from '@latchhook/core/delivery';

/** The part of undici that the sender uses. */
export type Undici = Pick<typeof import('undici'), 'buildConnector' | 'Client' | 'Pool'>;

/** Loaded lazily because undici takes longer to load than all other dependencies of an app together. */
export const undici: LazyModule<Undici> = lazyModule('undici', {
  require: async () => (await import('#dependencies')).undici(),
  import: () => import('undici'),
});
