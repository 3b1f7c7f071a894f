// @vitest-environment happy-dom
import type { Window } from 'happy-dom';
import { act, createElement, StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { beforeAll, expect, it, vi } from 'vitest';
import { memoryStorage } from './client-storage.ts';
import { createLoginStore, type LoginStore } from './login-store.ts';
import type { StoredLogin } from './stored-login.ts';
import { useSession } from './use-session.ts';

beforeAll(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  return () => vi.unstubAllGlobals();
});

const { document } = globalThis as unknown as Window;

const loginOf = (userId: string): StoredLogin => ({
  stamp: Math.random(),
  accessToken: `access token of ${userId}`,
  refreshToken: `refresh token of ${userId}`,
  receivedAtMs: Date.now(),
  expiresInSeconds: 3600,
  session: { userId, scopes: ['user'], accounts: [1] },
});

const onRender = vi.fn();

/** Renders the id of the user who is logged in. */
function Page({ store }: { readonly store: LoginStore }): string {
  const session = useSession(store);
  onRender();
  if (session === undefined) return 'loading';
  return session === null ? 'logged out' : session.userId;
}

function fixture() {
  onRender.mockClear();
  const store = createLoginStore(memoryStorage());
  return { store, page: createElement(Page, { store }) };
}

it('useSession renders once per change of the session', async () => {
  const { store, page } = fixture();
  const container = document.createElement('div');
  const root = createRoot(container);
  await act(() => root.render(page));
  expect(container.textContent).toBe('logged out');

  await act(() => store.update(() => loginOf('ada')));
  expect(container.textContent).toBe('ada');
  expect(onRender).toHaveBeenCalledTimes(2);
  await act(() => store.update(() => ({ ...loginOf('ada'), stamp: Math.random() })));
  expect(onRender).toHaveBeenCalledTimes(2);

  await act(() => store.update(() => null));
  expect(container.textContent).toBe('logged out');
  await act(() => root.unmount());
  await store.update(() => loginOf('ada'));
  expect(onRender).toHaveBeenCalledTimes(3);
});

it('useSession leaves no listener after it is unmounted in StrictMode', async () => {
  const { store } = fixture();
  const listenerCount = vi.fn();
  const subscribe: LoginStore['subscribe'] = (listener) => {
    listenerCount(1);
    const unsubscribe = store.subscribe(listener);
    return () => {
      listenerCount(-1);
      unsubscribe();
    };
  };
  const watched = createElement(Page, { store: { ...store, subscribe } });
  const container = document.createElement('div');
  const root = createRoot(container);
  await act(() => root.render(createElement(StrictMode, null, watched)));
  await act(() => store.update(() => loginOf('ada')));
  expect(container.textContent).toBe('ada');
  await act(() => root.unmount());
  // Mounted twice, as StrictMode does.
  expect(listenerCount.mock.calls.flat()).toEqual([1, -1, 1, -1]);
});

it('useSession hydrates the markup of the server, which has no session, and then shows the session', async () => {
  const { store, page } = fixture();
  await store.update(() => loginOf('ada'));
  const container = document.createElement('div');
  container.innerHTML = renderToString(page);
  expect(container.textContent).toBe('loading');
  const onRecoverableError = vi.fn();
  const root = await act(async () => hydrateRoot(container, page, { onRecoverableError }));
  expect(container.textContent).toBe('ada');
  expect(onRecoverableError).not.toHaveBeenCalled();
  await act(() => root.unmount());
});
