import { expect, it } from 'vitest';
import { boundedStorage } from './bounded-storage.ts';
import type { Limiter, LimiterOptions } from './limiter.ts';
import { memoryLimiters } from './memory/memory-limiter.ts';
import { memoryStorage } from './memory/memory-storage.ts';
import type { Storage } from './storage.ts';

/** A storage whose parts are getters and methods of its class: a copy by spread would lose them. */
class ClassStorage implements Storage {
  readonly name = 'a class';
  readonly #memory = memoryStorage();
  readonly #limiters = memoryLimiters();

  get sessions(): Storage['sessions'] {
    return this.#memory.sessions;
  }

  get challenges(): Storage['challenges'] {
    return this.#memory.challenges;
  }

  limiters(options: LimiterOptions): Limiter {
    return this.#limiters(options);
  }
}

it('takes the parts of a storage that is a class', async () => {
  const { sessions, limiters } = boundedStorage(new ClassStorage(), (call) => call());
  expect(await sessions.list('ada')).toEqual([]);
  const limiter = limiters({ keyPrefix: 'logins', duration: 60 });
  expect(await limiter.penalty('ada')).toMatchObject({ consumedPoints: 1 });
});
