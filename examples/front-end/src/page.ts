import { ClientError } from '@latchhook/client';

export type Act = (fields: FormData) => Promise<void>;

export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}.`);
  return element;
}

export function make(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

/** An entry of a list; with a label, also a button for what can be done to it. */
export function makeEntry(title: string, details: string, label = '', act?: Act): HTMLElement {
  const about = make('span', '', make('strong', '', title), make('span', 'detail', details));
  if (!act) return make('li', '', about);
  const button = make('button', 'danger', label);
  button.ariaLabel = `${label}: ${title}`;
  button.addEventListener('click', () => void attempt(button, act));
  return make('li', '', about, button);
}

export function inWords(time: string): string {
  return new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
}

/** Shows those parts of an element whose `data-when` names the state, and moves the focus where they want it. */
export function setState(element: HTMLElement, state: string): void {
  element.dataset['state'] = state;
  for (const part of element.querySelectorAll<HTMLElement>(':scope > [data-when]')) {
    part.hidden = !part.dataset['when']?.split(' ').includes(state);
    if (!part.hidden) part.querySelector<HTMLElement>('[data-focus]')?.focus();
  }
}

/** Says what has changed in a section, whose button that had the focus may be gone. */
export function announce(text: string, part: HTMLElement): void {
  byId('status', HTMLElement).textContent = text;
  if (!document.activeElement?.matches('body, [hidden], [hidden] *')) return;
  part.closest('section')?.querySelector('h2')?.focus();
}

export function on(type: 'click' | 'submit', id: string, act: Act): void {
  const control = byId(id, HTMLElement);
  control.addEventListener(type, (event) => {
    event.preventDefault();
    void attempt(control, act);
  });
}

/** Does what a control is for, once at a time, and says in its section what went wrong. */
export async function attempt(control: HTMLElement, act: Act): Promise<void> {
  if (control.dataset['busy']) return;
  control.dataset['busy'] = 'true';
  document.querySelector('[role=alert]')?.remove();
  byId('status', HTMLElement).textContent = '';
  try {
    await act(new FormData(control instanceof HTMLFormElement ? control : undefined));
  } catch (error) {
    const alert = make('p', 'danger', explain(error, control.dataset));
    alert.role = 'alert';
    control.closest('section')?.querySelector('h1, h2')?.after(alert);
    const field = control.querySelector<HTMLInputElement>('input[data-focus]');
    field?.focus();
    field?.select();
  }
  delete control.dataset['busy'];
}

/** What went wrong, and what to do about it. `sentences` are those of the control, by the code of the error. */
function explain(error: unknown, sentences: DOMStringMap): string {
  if (!(error instanceof ClientError)) {
    reportError(error);
    return 'Something went wrong. Load the page again.';
  }
  const { code, message, fields, attemptsRemaining, retryAfterSeconds } = error;
  return [
    sentences[code] ?? message,
    ...fields.map((one) => `${one.field} ${one.message}.`),
    ...(attemptsRemaining ? [`Attempts left: ${attemptsRemaining}.`] : []),
    ...(retryAfterSeconds ? [`Try again in ${durationOf(retryAfterSeconds)}.`] : []),
  ].join(' ');
}

function durationOf(seconds: number): string {
  const [value, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
