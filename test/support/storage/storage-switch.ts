import { type Storage, StorageUnavailableError } from '@latchhook/core/storage';

/** A storage works, fails immediately, or never settles a call. */
export type StorageMode = 'up' | 'down' | 'silent';

/** Wraps a storage, and can make it fail. */
export interface StorageSwitch {
  mode: StorageMode;
  /** Calls to sessions, challenges and personal access tokens since the switch was made. */
  calls: number;
  wrap(storage: Storage): Storage;
}

export function storageSwitch(): StorageSwitch {
  const self: StorageSwitch = {
    mode: 'up',
    calls: 0,
    wrap: (storage) => ({
      ...storage,
      sessions: guarded(storage.sessions, self),
      challenges: guarded(storage.challenges, self),
      ...(storage.personalAccessTokens && {
        personalAccessTokens: guarded(storage.personalAccessTokens, self),
      }),
    }),
  };
  return self;
}

function guarded<Store extends object>(store: Store, self: StorageSwitch): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...passed: unknown[]) => {
        self.calls += 1;
        if (self.mode === 'down') return Promise.reject(new StorageUnavailableError('it is down'));
        if (self.mode === 'silent') return new Promise(() => {});
        return Reflect.apply(member, target, passed);
      };
    },
  });
}
