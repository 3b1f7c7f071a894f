import { type LazyModule, lazyModule } from '@latchhook/core/delivery';

/** What is used of undici. */
export type Undici = Pick<typeof import('undici'), 'buildConnector' | 'Client' | 'Pool'>;

/** undici takes longer to load than all else that starts with an app. */
export const undici: LazyModule<Undici> = lazyModule('undici', {
  require: async () => (await import('#dependencies')).undici(),
  import: () => import('undici'),
});
