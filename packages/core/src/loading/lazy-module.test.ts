import { describe, expect, it } from 'vitest';
import { type LazyModuleSource, lazyModule } from './lazy-module.ts';
import { loadAll, preload } from './preload.ts';

const throwMissing = () => {
  throw new Error('Cannot find module');
};

/** A module that can be loaded only in the given ways; records each attempt. */
function fixture(source: Partial<LazyModuleSource<string>> = {}) {
  const attempts: string[] = [];
  const module = lazyModule('dial', {
    async require() {
      attempts.push('require');
      return source.require?.() ?? throwMissing();
    },
    async import() {
      attempts.push('import');
      return source.import?.() ?? throwMissing();
    },
    advice: 'install it',
  });
  return { module, attempts };
}

describe('a lazy module', () => {
  it('is loaded once for concurrent calls', async () => {
    const { module, attempts } = fixture({ require: async () => 'loaded' });
    const results = await Promise.all([module.load(), module.load()]);
    expect(results).toEqual(['loaded', 'loaded']);
    expect(module.get()).toBe('loaded');
    expect(attempts).toEqual(['require']);
  });

  it('is imported if it cannot be required', async () => {
    const { module, attempts } = fixture({ import: async () => 'imported' });
    expect(await module.load()).toBe('imported');
    expect(attempts).toEqual(['require', 'import']);
  });

  it('is loaded again after a failure', async () => {
    let isInstalled = false;
    const { module } = fixture({ require: async () => (isInstalled ? 'loaded' : throwMissing()) });
    await expect(module.load()).rejects.toThrow('dial cannot be loaded: install it');
    isInstalled = true;
    expect(await module.load()).toBe('loaded');
  });

  it('is not imported if `require` fails with EMFILE', async () => {
    const { module, attempts } = fixture({
      require: async () => {
        throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      },
    });
    await expect(module.load()).rejects.toThrow('ulimit -n');
    expect(attempts).toEqual(['require']);
  });

  it('throws at get() before it was loaded', () => {
    expect(() => fixture().module.get()).toThrow('dial has not been loaded');
  });
});

describe('several lazy modules', () => {
  it('are all preloaded in the background, even if one of them fails', async () => {
    const [first, failing, last] = [
      fixture({ require: async () => '1' }),
      fixture(),
      fixture({ require: async () => '3' }),
    ];
    const loading = preload([first.module, failing.module, last.module]);
    expect(first.attempts).toEqual([]);
    await loading;
    expect([first.module.get(), last.module.get()]).toEqual(['1', '3']);
  });

  it('make loadAll() reject with the error of the only one that fails', async () => {
    const installed = fixture({ require: async () => 'loaded' }).module;
    await loadAll([installed]);
    await expect(loadAll([installed, fixture().module])).rejects.toThrow(/^dial cannot be loaded/);
  });

  it('make loadAll() reject with an AggregateError if several fail', async () => {
    await expect(loadAll([fixture().module, fixture().module])).rejects.toBeInstanceOf(
      AggregateError,
    );
  });
});
