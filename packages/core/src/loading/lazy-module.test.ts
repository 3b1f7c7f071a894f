import { describe, expect, it } from 'vitest';
import { type LazyModuleSource, lazyModule } from './lazy-module.ts';
import { loadAll, preload } from './preload.ts';

const missing = () => {
  throw new Error('Cannot find module');
};

/** A module that is there, in the ways given; counts how often it is read. */
function counted(source: Partial<LazyModuleSource<string>> = {}) {
  const reads: string[] = [];
  const module = lazyModule('dial', {
    async require() {
      reads.push('require');
      return source.require?.() ?? missing();
    },
    async import() {
      reads.push('import');
      return source.import?.() ?? missing();
    },
    advice: 'install it',
  });
  return { module, reads };
}

describe('a lazy module', () => {
  it('is loaded once for concurrent calls', async () => {
    const { module, reads } = counted({ require: async () => 'loaded' });
    const asked = await Promise.all([module.load(), module.load()]);
    expect(asked).toEqual(['loaded', 'loaded']);
    expect(module.get()).toBe('loaded');
    expect(reads).toEqual(['require']);
  });

  it('is imported if it cannot be required', async () => {
    const { module, reads } = counted({ import: async () => 'imported' });
    expect(await module.load()).toBe('imported');
    expect(reads).toEqual(['require', 'import']);
  });

  it('is loaded again after a failure', async () => {
    let isThere = false;
    const { module } = counted({ require: async () => (isThere ? 'loaded' : missing()) });
    await expect(module.load()).rejects.toThrow('dial cannot be loaded: install it');
    isThere = true;
    expect(await module.load()).toBe('loaded');
  });

  it('is not imported if `require` fails with EMFILE', async () => {
    const { module, reads } = counted({
      require: async () => {
        throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      },
    });
    await expect(module.load()).rejects.toThrow('ulimit -n');
    expect(reads).toEqual(['require']);
  });

  it('cannot be read before it was loaded', () => {
    expect(() => counted().module.get()).toThrow('dial has not been loaded');
  });
});

describe('several lazy modules', () => {
  it('are preloaded in the background, ignoring failures', async () => {
    const [first, failing, last] = [
      counted({ require: async () => '1' }),
      counted(),
      counted({ require: async () => '3' }),
    ];
    const loading = preload([first.module, failing.module, last.module]);
    expect(first.reads).toEqual([]);
    await loading;
    expect([first.module.get(), last.module.get()]).toEqual(['1', '3']);
  });

  it('reject loadAll() with the only error, or with an AggregateError of several', async () => {
    const there = counted({ require: async () => 'loaded' }).module;
    await loadAll([there]);
    await expect(loadAll([there, counted().module])).rejects.toThrow(/^dial cannot be loaded/);
    await expect(loadAll([counted().module, counted().module])).rejects.toBeInstanceOf(
      AggregateError,
    );
  });
});
