import { afterEach, expect, it, vi } from 'vitest';
import { webStorage } from './web-storage.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

function fileCorrupted(): never {
  throw new DOMException('The storage is damaged.', 'NS_ERROR_FILE_CORRUPTED');
}

it('webStorage keeps the login in memory if localStorage is blocked or missing', async () => {
  const blocked = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  vi.stubGlobal('localStorage', undefined);
  expect(webStorage().name).toBeUndefined();
  Object.defineProperty(globalThis, 'localStorage', { get: blocked, configurable: true });
  const storage = webStorage();
  await storage.set('login');
  expect(storage.get()).toBe('login');
});

it.each([
  ['is damaged, as Firefox reports it', { getItem: fileCorrupted }],
  ['has no methods, as in Node.js 25 without a file', {}],
])('webStorage keeps the login in memory if localStorage %s', async (_, area) => {
  vi.stubGlobal('localStorage', area);
  const storage = webStorage();
  await storage.set('login');
  expect(storage.get()).toBe('login');
});

it('webStorage notifies of changes to its key, of changes to all keys, and of `pageshow`', () => {
  const listeners = new Map<string, (event: object) => void>();
  vi.stubGlobal('localStorage', { getItem: () => null });
  vi.stubGlobal('addEventListener', (type: string, listener: (event: object) => void) => {
    listeners.set(type, listener);
  });
  const listener = vi.fn();
  webStorage({ key: 'mine' }).subscribe?.(listener);
  listeners.get('storage')?.({ key: 'other' });
  expect(listener).toHaveBeenCalledTimes(0);
  listeners.get('storage')?.({ key: 'mine' });
  listeners.get('storage')?.({ key: null });
  listeners.get('pageshow')?.({});
  expect(listener).toHaveBeenCalledTimes(3);
});
